package org.vstar.spark.soak;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** What has to be flat over time. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Runs something at full speed for a while and ends with 1 if heap, threads or open files grow.")
public final class Soak implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "60",
      scope = ScopeType.INHERIT,
      description = "how long (default: ${DEFAULT-VALUE})")
  private double minutes;

  @Option(
      names = "--project",
      paramLabel = "DIR",
      defaultValue = ".",
      hidden = true,
      description = "where datasets is")
  private Path project;

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Soak(), args);
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "expected env or libtorch");
  }

  @Command(name = "env", description = "Episodes of WebShop.")
  int env(
      @Option(
              names = "--dir",
              paramLabel = "DIR",
              description = "the shop's files (default: datasets/webshop-mini)")
          Path folder)
      throws InterruptedException {
    Path shop = folder == null ? project.resolve("datasets/webshop-mini") : folder;
    return WebShopSoak.run(minutes, shop) ? 0 : 1;
  }

  @Command(name = "libtorch", description = "Sampling and training steps, at least 500.")
  int libtorch() {
    return LibTorchSoak.run(minutes) ? 0 : 1;
  }
}
