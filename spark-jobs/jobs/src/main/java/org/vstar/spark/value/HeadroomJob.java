package org.vstar.spark.value;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.console.Console;
import org.vstar.spark.measure.HeadroomTable;
import org.vstar.spark.report.BestReference;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Tables;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what reinforcement learning can add, from the samples of V*, before any training. */
@Command(
    name = "headroom",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = {
      "Shows what reinforcement learning can add to the reference policy: which tasks have mixed"
          + " outcomes, pass@k, E[A²] under each baseline. Writes it as the table headroom."
    })
public final class HeadroomJob implements Callable<Integer> {

  @Option(names = "--out", required = true, paramLabel = "DIR", description = "the run's folder")
  private String out;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new HeadroomJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    RunFolder folder = new RunFolder(Store.open(out));
    SparkSession spark = JobContext.session("Vstar headroom");
    Tables tables = JobContext.tables(spark, folder);
    if (!tables.hasVStar()) {
      throw new InvalidInputException(
          "there is no V* in " + folder.store().location("") + ": run submit/vstar first");
    }
    folder.store().requireWritable();
    JobContext.locked(folder, Tables.FOLDER, "submit/headroom", () -> show(tables, folder));
    return 0;
  }

  /** Writes the table and prints it. */
  static void show(Tables tables, RunFolder folder) throws IOException {
    HeadroomTable.update(tables).ifPresent(headroom -> Console.out().print(headroom.text()));
    BestReference.of(folder).ifPresent(best -> Console.out().println(best.words()));
  }
}
