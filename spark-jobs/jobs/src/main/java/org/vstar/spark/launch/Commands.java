package org.vstar.spark.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.vstar.spark.cli.Compare;
import org.vstar.spark.cli.Datasets;
import org.vstar.spark.cli.Play;
import org.vstar.spark.cli.PolicyTool;
import org.vstar.spark.cli.Runs;
import org.vstar.spark.cli.Shop;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine;

/** The commands that a user types, for whatever shows their options. */
public final class Commands {

  private Commands() {}

  /** Each under the name that it has in {@code submit}, in the order in which one meets them. */
  public static List<CommandLine> all() {
    Installation none = new Installation(Path.of(""), Path.of(""), Map.of());
    List<CommandLine> all = new ArrayList<>();
    List.of(
            "quickstart",
            "warm-start",
            "vstar",
            "headroom",
            "rescore",
            "train",
            "evaluate",
            "study")
        .forEach(job -> all.add(JobLaunch.commandLine(job)));
    all.add(JobContext.commandLine(new Compare(Console.out())));
    all.add(JobContext.commandLine(new Runs()));
    all.add(new SqlLaunch(none, Path.of("")).commandLine());
    all.add(new ThriftLaunch(none, Path.of("")).commandLine());
    all.add(JobContext.commandLine(new Play()));
    all.add(JobContext.commandLine(new Shop()));
    all.add(JobContext.commandLine(new PolicyTool(Console.out())));
    all.add(JobContext.commandLine(new Datasets()));
    all.add(JobContext.commandLine(new StandaloneCluster(none)));
    return List.copyOf(all);
  }
}
