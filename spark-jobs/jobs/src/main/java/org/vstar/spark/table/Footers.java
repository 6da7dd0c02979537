package org.vstar.spark.table;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.api.Binary;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.Store;

/**
 * What the footers of Parquet files say of all their rows, so that no row has to be read.
 *
 * @param rows how many there are
 * @param ends by column, the smallest and largest values of its parts: one element where all rows
 *     have the same value
 */
public record Footers(long rows, Map<String, Set<Object>> ends) {

  /**
   * Reads the footers.
   *
   * @throws InvalidInputException naming a file that is no Parquet, or cannot be read
   */
  public static Footers of(Store store, Collection<String> files) {
    long rows = 0;
    Map<String, Set<Object>> ends = new HashMap<>();
    for (String file : files) {
      try (StoreInputFile open = StoreInputFile.open(store, file)) {
        rows += read(store.location(file), open, ends);
      } catch (IOException e) {
        throw InvalidInputException.cannot("read " + store.location(file), e);
      }
    }
    return new Footers(rows, ends);
  }

  private static long read(String where, StoreInputFile file, Map<String, Set<Object>> ends)
      throws IOException {
    try (ParquetFileReader reader = ParquetFileReader.open(file)) {
      for (BlockMetaData block : reader.getRowGroups()) {
        block.getColumns().forEach(column -> add(column, ends));
      }
      return reader.getRecordCount();
    } catch (IOException | RuntimeException e) {
      file.requireStoreAnswered();
      throw new InvalidInputException(
          where + " is damaged: " + InvalidInputException.oneLine(e + ""), e);
    }
  }

  private static void add(ColumnChunkMetaData column, Map<String, Set<Object>> ends) {
    Statistics<?> statistics = column.getStatistics();
    if (statistics != null && statistics.hasNonNullValue()) {
      Set<Object> of = ends.computeIfAbsent(column.getPath().toDotString(), c -> new HashSet<>());
      of.add(value(statistics.genericGetMin()));
      of.add(value(statistics.genericGetMax()));
    }
  }

  private static Object value(Object stored) {
    if (stored instanceof Double number) {
      // Parquet says of 0 that it lies between -0 and 0.
      return number + 0.0;
    }
    return stored instanceof Binary text ? text.toStringUsingUTF8() : stored;
  }

  /** The value that a column has in all rows; none if it has several, or the footers are silent. */
  public Optional<String> only(String column) {
    Set<Object> of = ends.getOrDefault(column, Set.of());
    return of.size() == 1 ? Optional.of(of.iterator().next().toString()) : Optional.empty();
  }

  /** The largest value of a column of whole numbers, if footers say it. */
  public OptionalInt most(String column) {
    return ends.getOrDefault(column, Set.of()).stream().mapToInt(n -> (Integer) n).max();
  }

  /** The values of a column at its ends: {@code 8}, {@code 4 – 64}, or {@code –} if unknown. */
  public String range(String column) {
    List<Object> sorted = ends.getOrDefault(column, Set.of()).stream().sorted().toList();
    if (sorted.isEmpty()) {
      return "–";
    }
    Object last = sorted.get(sorted.size() - 1);
    return sorted.size() == 1 ? last.toString() : sorted.get(0) + " – " + last;
  }
}
