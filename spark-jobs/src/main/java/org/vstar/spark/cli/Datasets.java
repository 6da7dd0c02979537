package org.vstar.spark.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.vstar.common.InvalidInputException;
import org.vstar.env.webshop.catalog.ProductFiles;
import org.vstar.env.webshop.goal.Goals;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks data that users bring themselves. */
@Command(
    name = "datasets",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Checks whether a published dataset is there and can be read.")
public final class Datasets implements Callable<Integer> {

  private static final String WEBSHOP = "webshop";
  private static final List<String> FILES =
      List.of("items_shuffle", "items_ins_v2", "items_human_ins");

  @Parameters(paramLabel = "NAME", description = "which dataset: webshop")
  private String name;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = "datasets/webshop",
      description = "where its files are (default: ${DEFAULT-VALUE})")
  private Path folder;

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Datasets(), args);
  }

  @Override
  public Integer call() throws IOException {
    if (!name.equals(WEBSHOP)) {
      throw new InvalidInputException("no dataset '" + name + "', there is webshop");
    }
    List<String> missing = new ArrayList<>();
    for (String suffix : List.of("_1000", "")) {
      Path products = folder.resolve(FILES.get(0) + suffix + ".json");
      Path attributes = folder.resolve(FILES.get(1) + suffix + ".json");
      Path human = folder.resolve(FILES.get(2) + ".json");
      List<Path> absent =
          List.of(products, attributes, human).stream().filter(f -> !Files.exists(f)).toList();
      if (absent.isEmpty()) {
        check(products, attributes, human);
        return 0;
      }
      missing.add(
          (suffix.isEmpty() ? "all products" : "1,000 products") + ": " + absent + " missing");
    }
    throw new InvalidInputException(
        "no whole WebShop dataset in "
            + folder
            + " ("
            + String.join("; ", missing)
            + "): its authors publish it at github.com/princeton-nlp/WebShop, setup.sh downloads it");
  }

  private static void check(Path products, Path attributes, Path human) throws IOException {
    long[] counts = new long[3];
    new ProductFiles(products, attributes, human)
        .read(
            (item, bytes) -> {
              counts[0]++;
              counts[1] += Goals.countSynthetic(item);
              counts[2] += Goals.countHuman(item);
            });
    System.out.printf(
        Locale.ROOT,
        "%s: %,d bytes, %,d products, %,d synthetic goals, %,d goals that people wrote%n",
        products,
        Files.size(products),
        counts[0],
        counts[1],
        counts[2]);
  }
}
