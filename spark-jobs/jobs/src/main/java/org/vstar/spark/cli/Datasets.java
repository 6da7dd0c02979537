package org.vstar.spark.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.vstar.env.Dataset;
import org.vstar.spark.console.Console;
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

  @Parameters(paramLabel = "NAME", description = "which dataset: webshop")
  private String name;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "where its files are (default: datasets/NAME)")
  private Path folder;

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Datasets(), args);
  }

  @Override
  public Integer call() throws IOException {
    Dataset dataset = Dataset.of(name);
    Console.out()
        .println(dataset.check(folder == null ? Path.of("datasets", dataset.name()) : folder));
    return 0;
  }
}
