package org.vstar.spark.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.vstar.env.Split;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.SampleTable;
import org.vstar.spark.table.Tables;
import org.vstar.spark.table.UnitTable;
import org.vstar.spark.table.VStarTable;
import org.vstar.spark.tracking.JsonLines;

/** The tables of a run, and the small files beside them. */
final class TableTargets {

  private TableTargets() {}

  static List<Target> all(SmallRun run, Path scratch) throws IOException {
    return List.of(
        Samples.of(run, scratch.resolve("samples")),
        Values.of(run, scratch.resolve("values")),
        new Notes(run, scratch.resolve("notes")));
  }

  /** Copies a run's tables. Sums of file systems would hide what the tables' own find. */
  private static void copy(Path from, Path to) throws IOException {
    List<Path> files = files(from);
    if (Files.exists(to)) {
      org.vstar.common.AtomicFiles.delete(to);
    }
    for (Path file : files) {
      Path copy = to.resolve(from.relativize(file));
      if (!file.toString().endsWith(".crc") && !file.toString().endsWith(".lock")) {
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
  }

  private static List<Path> parquet(Path folder) throws IOException {
    return files(folder).stream().filter(f -> f.toString().endsWith(".parquet")).toList();
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static List<String> rows(Dataset<Row> rows) {
    return rows.toJSON().collectAsList().stream().sorted().toList();
  }

  /** A file of samples is no longer used, or all of its rows are what they were. */
  private record Samples(SmallRun run, Path folder, List<String> before) implements Target {

    static Samples of(SmallRun run, Path folder) {
      Tables tables = JobContext.tables(run.spark(), new RunFolder(run.store()));
      return new Samples(run, folder, rows(tables.samples()));
    }

    @Override
    public String name() {
      return "samples";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      copy(run.folder().resolve("tables"), folder.resolve("tables"));
      Store store = Store.open(folder.toString());
      Path units = folder.resolve("tables/samples");
      List<Path> all = new ArrayList<>(files(units));
      all.addAll(files(folder.resolve("tables/_log/samples")));
      Path unit = all.get(random.nextInt(all.size()));
      switch (random.nextInt(8)) {
        case 0 -> Files.copy(unit, units.resolve("samples-" + random.nextInt(99) + ".parquet"));
        case 1 -> Files.write(units.resolve("stray-" + random.nextInt(99)), new byte[9]);
        default -> Files.write(unit, Mutation.bytes(random, Files.readAllBytes(unit)));
      }
      SampleTable table = new SampleTable(UnitTable.SAMPLES, run.spark(), store, warning -> {});
      table.begin(run.fingerprints(), run.config().seed());
      long there = table.indices().values().stream().mapToLong(java.util.BitSet::cardinality).sum();
      List<String> now =
          there == 0
              ? List.of()
              : rows(JobContext.tables(run.spark(), new RunFolder(store)).samples());
      List<String> distinct = now.stream().distinct().toList();
      if (!before.containsAll(distinct) || distinct.size() != there) {
        List<String> odd = new ArrayList<>(distinct);
        odd.removeAll(before);
        throw new Finding("samples that were not there before: " + odd);
      }
    }
  }

  /** A V* table is refused, or all of its values are what they were. */
  private record Values(SmallRun run, Path folder, VStarTable.Values before) implements Target {

    static Values of(SmallRun run, Path folder) {
      return new Values(run, folder, read(run, run.folder()));
    }

    private static VStarTable.Values read(SmallRun run, Path folder) {
      Tables tables = JobContext.tables(run.spark(), new RunFolder(Store.open(folder.toString())));
      return new VStarTable(tables)
          .values(
              run.fingerprints(),
              run.config().vstar().settings(run.config().seed()),
              run.environment().tasks(Split.TRAIN));
    }

    @Override
    public String name() {
      return "vstar-table";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      copy(run.folder().resolve("tables"), folder.resolve("tables"));
      Path table = parquet(folder.resolve("tables/_log/vstar/versions")).get(0);
      boolean values = random.nextInt(4) == 0;
      if (values) {
        changeValues(random, table);
      } else {
        Files.write(table, Mutation.bytes(random, Files.readAllBytes(table)));
      }
      VStarTable.Values now = read(run, folder);
      if (!values) {
        Target.requireEqual("V*", before, now);
      } else if (now.byTask().values().stream().anyMatch(v -> !Double.isFinite(v.vStar()))) {
        throw new Finding("a V* that is not finite: " + now);
      }
    }

    /** A column gets another type, another value, nulls or a gap; or rows are doubled or lost. */
    private void changeValues(SplittableRandom random, Path table) throws IOException {
      Dataset<Row> rows =
          run.spark().read().parquet(run.folder().resolve("tables/vstar").toString());
      String name = rows.columns()[random.nextInt(rows.columns().length)];
      Column column = functions.col(name);
      Dataset<Row> changed =
          switch (random.nextInt(7)) {
            case 0 -> rows.withColumn(name, column.cast("string"));
            case 1 -> rows.withColumn(name, functions.lit(null).cast("double"));
            case 2 -> rows.withColumn(name, functions.lit(Double.NaN));
            case 3 -> rows.drop(name);
            case 4 -> rows.union(rows.limit(1));
            case 5 -> rows.withColumn(name, functions.when(functions.rand(1).lt(0.5), column));
            default -> rows.withColumn(name, functions.array(column));
          };
      Path written = folder.resolve("changed");
      changed.coalesce(1).write().mode("overwrite").parquet(written.toString());
      Files.write(table, Files.readAllBytes(parquet(written).get(0)));
    }
  }

  /** The JSON files that a run keeps. */
  private record Notes(SmallRun run, Path folder) implements Target {
    @Override
    public String name() {
      return "json-files";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      copy(run.folder(), folder);
      List<String> names =
          List.of("times.json", "tables/format.json", "train-regression/metrics.jsonl");
      Path file = folder.resolve(names.get(random.nextInt(names.size())));
      byte[] content = Files.readAllBytes(file);
      boolean lines = file.toString().endsWith("l");
      Files.write(file, lines ? Mutation.bytes(random, content) : Mutation.json(random, content));
      Store store = Store.open(folder.toString());
      new RunFolder(store).stageTimes();
      JsonLines.read(store, "train-regression");
      JobContext.tables(run.spark(), new RunFolder(store)).tasks();
    }
  }
}
