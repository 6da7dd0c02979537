package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;

class SampleFileIT {

  @TempDir Path folder;

  private static Sample sample(int index, Map<String, Double> parts) {
    return new Sample(
        "t", index, 7, 0.5, false, 2, 9, "done", List.of("search x", "buy"), -1.5, parts, 3);
  }

  @Test
  void sparkReadsThePartsOfTheRewardAsAMap() throws IOException {
    SparkSession spark = TestRun.session("local[1]");
    try {
      Map<String, Double> parts = Map.of("type", 0.5, "price", 1.0);
      DataFile file =
          SampleFile.write(
                  Store.open(folder.toString()),
                  "unit",
                  List.of(sample(0, parts), sample(1, Map.of())),
                  new Fingerprints("p", "e", "r", "s"))
              .orElseThrow();
      assertThat(file.parts()).isEqualTo(Map.of("t", "0-1"));
      List<Row> rows =
          spark
              .read()
              .parquet(folder.resolve(file.name()).toString())
              .orderBy("sample_index")
              .selectExpr("reward_parts", "reward_parts['type']")
              .collectAsList();
      assertThat(rows.get(0).getJavaMap(0)).isEqualTo(parts);
      assertThat(rows.get(0).getDouble(1)).isEqualTo(0.5);
      assertThat(rows.get(1).getJavaMap(0)).isEmpty();
    } finally {
      spark.stop();
    }
  }
}
