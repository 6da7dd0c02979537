package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.store.TableLog.Change;

class SampleTableTest {

  private static final long MEGABYTE = 1 << 20;

  private static DataFile file(String name, int task, long bytes) {
    return new DataFile(name, 1, bytes, "", new TreeMap<>(Map.of("task-" + task, "0-7")));
  }

  private static DataFile unit(int task, long bytes) {
    return file("tables/_log/samples/units/unit-" + task + ".parquet", task, bytes);
  }

  @Test
  void unitsBecomeFilesOf128MegabytesOrMoreAndWhatIsMergedStays() {
    List<DataFile> files = new ArrayList<>();
    for (int task = 1; task <= 7; task++) {
      files.add(unit(task, 50 * MEGABYTE));
    }
    files.add(unit(8, 300 * MEGABYTE));
    files.add(file(Tables.SAMPLES + "/samples-1.parquet", 0, MEGABYTE));
    List<List<DataFile>> groups = SampleTable.groups(UnitTable.SAMPLES, files);
    assertThat(groups).extracting(List::size).containsExactly(3, 3, 2);
    assertThat(groups.stream().flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(files.subList(0, 8));
    Collections.reverse(files);
    assertThat(SampleTable.groups(UnitTable.SAMPLES, files)).isEqualTo(groups);
    assertThat(SampleTable.groups(UnitTable.SAMPLES, List.of())).isEmpty();
  }

  private static DataFile published(Store store, String name) throws IOException {
    String file = Tables.SAMPLES + "/samples-" + name + ".parquet";
    return DataFile.publish(store, file, 1, new TreeMap<>(), out -> out.write(1));
  }

  private static SortedMap<String, String> seed(String seed) {
    return new TreeMap<>(Map.of("seed", seed));
  }

  @Test
  void onlyStraysAndDamagedFilesAreTidiedAwayAndNeverAnotherRuns(@TempDir Path folder)
      throws IOException {
    Store store = Store.open(folder.toString());
    TableLog log = new TableLog(store, Tables.SAMPLES);
    DataFile others = published(store, "others");
    DataFile lost = published(store, "lost");
    DataFile damaged = published(store, "damaged");
    DataFile good = published(store, "good");
    published(store, "stray");
    TreeMap<String, String> none = new TreeMap<>();
    TableLog.Snapshot now =
        log.commit(log.now(), new Change(List.of(others, lost), none, seed("1")));
    // Of the other run's files one was never said to be taken out: that manifest is gone.
    now =
        log.commit(
            now,
            new Change(
                List.of(damaged, good),
                new TreeMap<>(Map.of(others.name(), "of another run: seed")),
                seed("2")));
    log.commit(
        now,
        new Change(List.of(), new TreeMap<>(Map.of(damaged.name(), "it is missing")), seed("2")));
    new SampleTable(UnitTable.SAMPLES, null, store, warning -> {}).tidy();
    assertThat(store.list(Tables.SAMPLES + "/samples-"))
        .containsExactlyInAnyOrder(good.name(), lost.name(), others.name());
  }

  @Test
  void whatTwoFilesHaveInCommonIsCounted() {
    SampleIndices there = SampleIndices.of(Map.of("a", "0-7", "b", "3"));
    assertThat(there.common(SampleIndices.of(Map.of("a", "6-9", "b", "0-3,9", "c", "0"))))
        .isEqualTo(3);
    assertThat(there.common(SampleIndices.of(Map.of("a", "8", "c", "0-7")))).isZero();
    there.addAll(SampleIndices.of(Map.of("a", "9", "c", "0-1")));
    assertThat(there.parts()).isEqualTo(Map.of("a", "0-7,9", "b", "3", "c", "0-1"));
  }
}
