package org.vstar.spark.launch;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of all jobs that are the launcher's own. */
final class LauncherOnlyOptions {

  @Option(
      names = "--add-ons",
      split = ",",
      paramLabel = "NAME",
      description =
          "add-ons whose jars go along, for example libtorch,jinja; a config of this machine needs"
              + " none named")
  List<String> addons = new ArrayList<>();

  @Option(
      names = "--dry-run",
      description = "print the config with all that it includes, and the line of spark-submit")
  boolean dryRun;
}
