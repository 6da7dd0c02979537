package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;

class PageChecksumIT {

  @TempDir Path folder;
  private final SparkSession spark = TestRun.session("local[2]");

  @AfterEach
  void stop() {
    spark.stop();
  }

  private List<String> rows(Path table) {
    return spark.read().parquet(table.toString()).toJSON().collectAsList().stream()
        .sorted()
        .toList();
  }

  /** Flips bits of a table's pages; counts how often Spark reads other rows and does not say so. */
  private int unnoticed(Path table, byte[] whole, boolean verify) throws IOException {
    spark
        .sparkContext()
        .hadoopConfiguration()
        .setBoolean("parquet.page.verify-checksum.enabled", verify);
    List<String> before = rows(table);
    int unnoticed = 0;
    for (int at = 100; at < whole.length / 2; at += whole.length / 30) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 1;
      Files.write(table, flipped);
      try {
        unnoticed += rows(table).equals(before) ? 0 : 1;
      } catch (Exception e) {
        assertThat(e).hasStackTraceContaining("parquet");
      }
    }
    Files.write(table, whole);
    return unnoticed;
  }

  @Test
  void sparksVectorizedReaderNoticesEveryFlippedBitOfAPageOnceItVerifiesChecksums()
      throws IOException {
    Path written = folder.resolve("written");
    spark
        .range(0, 500)
        .selectExpr("id", "sin(id) AS return")
        .coalesce(1)
        .write()
        .option("compression", "uncompressed")
        .parquet(written.toString());
    Path table = folder.resolve("table.parquet");
    try (Stream<Path> files = Files.list(written)) {
      Path part = files.filter(f -> f.toString().endsWith(".parquet")).findFirst().orElseThrow();
      Files.write(table, Files.readAllBytes(part));
    }
    byte[] whole = Files.readAllBytes(table);
    assertThat(unnoticed(table, whole, false)).as("without checksums").isPositive();
    assertThat(unnoticed(table, whole, true)).as("with checksums").isZero();
  }
}
