package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.vstar.spark.store.HadoopRunStore;

class TableFileTest {

  private static final StructType COLUMNS =
      new StructType()
          .add("task_id", "string", false)
          .add("v_star", "double", false)
          .add("v_star_shrunk", "double", true);

  private final TableFile table = new TableFile(HadoopRunStore.open("out"), "vstar", COLUMNS);

  private boolean fits(String fields) {
    return table.fits(MessageTypeParser.parseMessageType("message m {" + fields + "}"));
  }

  @Test
  void aFileFitsThatHasTheColumnsAndMaybeMore() {
    assertThat(fits("optional binary task_id; optional double v_star;")).isTrue();
    assertThat(fits("required binary task_id; required double v_star; repeated int32 x;")).isTrue();
  }

  @Test
  void aColumnThatMayBeNullMayBeMissingButNotOfAnotherType() {
    String others = "required binary task_id; required double v_star;";
    assertThat(fits(others + "optional double v_star_shrunk;")).isTrue();
    assertThat(fits(others + "optional binary v_star_shrunk;")).isFalse();
  }

  @Test
  void aColumnOfAnotherTypeOrARepeatedOneDoesNotFit() {
    assertThat(fits("optional binary task_id;")).isFalse();
    assertThat(fits("optional binary task_id; optional float v_star;")).isFalse();
    assertThat(fits("optional binary task_id; repeated double v_star;")).isFalse();
    assertThat(fits("optional binary task_id; optional group v_star { optional int32 x; }"))
        .isFalse();
  }
}
