package org.vstar.env.webshop.goal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Dataset;
import org.vstar.env.webshop.catalog.ProductFiles;

/** WebShop's files, as its authors publish them: 1,000 products, or all. */
public final class PublishedFiles implements Dataset {

  private static final List<String> FILES =
      List.of("items_shuffle", "items_ins_v2", "items_human_ins");

  @Override
  public String name() {
    return "webshop";
  }

  @Override
  public String check(Path folder) throws IOException {
    List<String> missing = new ArrayList<>();
    for (String suffix : List.of("_1000", "")) {
      Path products = folder.resolve(FILES.get(0) + suffix + ".json");
      Path attributes = folder.resolve(FILES.get(1) + suffix + ".json");
      Path human = folder.resolve(FILES.get(2) + ".json");
      List<Path> absent =
          List.of(products, attributes, human).stream().filter(f -> !Files.exists(f)).toList();
      if (absent.isEmpty()) {
        return read(products, attributes, human);
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

  private static String read(Path products, Path attributes, Path human) throws IOException {
    long[] counts = new long[3];
    new ProductFiles(products, attributes, human)
        .read(
            (item, bytes) -> {
              counts[0]++;
              counts[1] += Goals.countSynthetic(item);
              counts[2] += Goals.countHuman(item);
            });
    return String.format(
        Locale.ROOT,
        "%s: %,d bytes, %,d products, %,d synthetic goals, %,d goals that people wrote",
        products,
        Files.size(products),
        counts[0],
        counts[1],
        counts[2]);
  }
}
