package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;

class RowFileTest {

  private static final StructType COLUMNS =
      new StructType()
          .add("task_id", DataTypes.StringType, true)
          .add("v_star", DataTypes.DoubleType, true)
          .add("n", DataTypes.IntegerType, true);

  @TempDir Path folder;

  private DataFile write(Row... rows) throws IOException {
    Store store = Store.open(folder.toString());
    return RowFile.write(store, "rows-" + System.nanoTime(), COLUMNS, List.of(rows).iterator());
  }

  private String hash(Row... rows) throws IOException {
    return RowFile.rowsHash(write(rows));
  }

  @Test
  void theHashOfRowsIsThatOfTheirValuesAndOrder() throws IOException {
    Row first = RowFactory.create("a", 0.1, 3);
    Row second = RowFactory.create("b", 0.2, 4);
    String hash = hash(first, second);
    assertThat(hash(first, second)).isEqualTo(hash);
    assertThat(
            List.of(
                hash(first),
                hash(second, first),
                hash(first, RowFactory.create("b", 0.2, 5)),
                hash(first, RowFactory.create("b", Math.nextUp(0.2), 4)),
                hash(first, RowFactory.create(null, 0.2, 4)),
                hash(first, RowFactory.create("null", 0.2, 4))))
        .doesNotHaveDuplicates()
        .doesNotContain(hash);
    assertThat(write(first, second).rows()).isEqualTo(2);
  }
}
