package org.vstar.spark.value;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.Footers;
import org.vstar.spark.table.RescoredTable;
import org.vstar.spark.table.Rescoring;
import org.vstar.spark.table.StoredTables;
import org.vstar.spark.table.Tables;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What a run's stored samples are worth under another reward or success rule, another β₁ or N:
 * nothing is sampled. Writes the table {@code vstar_NAME}; {@code vstar}, which training reads,
 * stays as it is.
 */
@Command(
    name = "rescore",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = {
      "Estimates V* anew from the samples that a run has, under another reward or success rule. For"
          + " example: --reward 'IF(success, 1.0, 0.2 * return) - 0.01 * turns'"
    })
public final class RescoreJob implements Callable<Integer> {

  @Option(names = "--out", required = true, paramLabel = "DIR", description = "the run's folder")
  private String out;

  @Option(
      names = "--as",
      required = true,
      paramLabel = "NAME",
      description = "writes the table vstar_NAME")
  private String name;

  @Option(
      names = "--reward",
      paramLabel = "SQL",
      defaultValue = "return",
      description = "what a sample is worth: SQL over the columns of samples (default: the return)")
  private String reward;

  @Option(
      names = "--success",
      paramLabel = "SQL",
      defaultValue = "success",
      description =
          "success rule: SQL over the columns of samples (default: the stored column success)")
  private String success;

  @Option(names = "--beta1", paramLabel = "B", description = "β₁ (default: as in vstar)")
  private Double beta1;

  @Option(names = "--samples", paramLabel = "N", description = "N (default: as in vstar)")
  private Integer samples;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new RescoreJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    RunFolder folder = new RunFolder(Store.open(out));
    StoredTables stored = new StoredTables(folder.store());
    if (!stored.names().containsAll(List.of("samples", "tasks"))) {
      throw new InvalidInputException(
          "there are no samples in " + folder.store().location("") + ": run submit/vstar first");
    }
    folder.store().requireWritable();
    JobContext.locked(folder, Tables.FOLDER, "submit/rescore", () -> rescore(folder, stored));
    return 0;
  }

  private void rescore(RunFolder folder, StoredTables stored) {
    RescoredTable.Settings settings =
        new RescoredTable.Settings(
            new Rescoring(reward, success),
            samples != null ? samples : Integer.parseInt(usual(stored, "n", "--samples")),
            beta1 != null ? beta1 : Double.parseDouble(usual(stored, "beta1", "--beta1")));
    if (settings.samples() < 1 || !(settings.beta1() >= 0)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "--samples is %d and --beta1 is %s, expected 1 or more, and 0 or more",
              settings.samples(),
              settings.beta1()));
    }
    int most = stored.footers("samples").most("sample_index").orElse(-1) + 1;
    if (settings.samples() > most) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "--samples is %d, and no task has more than %d samples: submit/vstar takes more",
              settings.samples(),
              most));
    }
    SparkSession spark = JobContext.session("Vstar rescore: " + name);
    Tables tables = JobContext.tables(spark, folder);
    RescoredTable table = new RescoredTable(tables, name);
    long tasks = table.write(settings);
    Console.answer("%d tasks in %s", tasks, table.table());
  }

  /** What the run's own table has in a column. */
  private static String usual(StoredTables stored, String column, String option) {
    Footers vStar = stored.footers(StoredTables.VSTAR);
    return vStar
        .only(column)
        .orElseThrow(
            () ->
                new InvalidInputException(
                    vStar.rows() == 0
                        ? option + " is missing, and there is no table vstar to take it from"
                        : String.format(
                            Locale.ROOT,
                            "%s is missing, and %s differs from task to task in vstar: %s",
                            option,
                            column,
                            vStar.range(column))));
  }
}
