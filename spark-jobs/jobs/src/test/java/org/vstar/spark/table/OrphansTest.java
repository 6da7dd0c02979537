package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.cli.Runs;
import org.vstar.spark.store.DataFile;
import org.vstar.spark.store.Store;
import org.vstar.spark.store.Store.Stored;
import org.vstar.spark.store.TableLog;
import org.vstar.spark.store.TableLog.Change;
import picocli.CommandLine;

class OrphansTest {

  private static final SortedMap<String, String> NONE = new TreeMap<>();

  @TempDir Path folder;
  private Store store;

  @BeforeEach
  void open() {
    store = Store.open(folder.toString());
  }

  private DataFile file(String name) throws IOException {
    return DataFile.publish(store, "tables/" + name, 1, NONE, out -> out.write(7));
  }

  private List<String> before(Instant moment) throws IOException {
    return new Orphans(store).before(moment).stream().map(Stored::name).toList();
  }

  @Test
  void whatNoManifestHasEverNamedAndUnitsThatWereMergedAreOrphansAndNothingElse()
      throws IOException {
    new TableFormat(store).write();
    DataFile unit = file("_log/samples/units/unit-a-1.parquet");
    DataFile again = file("_log/samples/units/unit-a-2.parquet");
    DataFile damaged = file("_log/samples/units/unit-b-1.parquet");
    DataFile merged = file("samples/samples-1.parquet");
    DataFile former = file("_log/vstar/versions/1.parquet");
    DataFile now = file("_log/vstar/versions/2.parquet");
    DataFile lost = file("_log/vstar/versions/3.parquet");
    file("vstar/vstar.parquet");
    TableLog samples = new TableLog(store, Tables.SAMPLES);
    samples.commit(samples.now(), new Change(List.of(unit, damaged), NONE, NONE));
    SortedMap<String, String> removed = new TreeMap<>();
    removed.put(unit.name(), SampleTable.MERGED);
    removed.put(damaged.name(), "it was cut short or changed since it was written");
    samples.commit(samples.now(), new Change(List.of(merged), removed, NONE));
    TableLog values = new TableLog(store, Tables.VSTAR);
    values.commit(values.now(), new Change(List.of(former), NONE, NONE));
    SortedMap<String, String> replaced = new TreeMap<>(Map.of(former.name(), "replaced"));
    values.commit(values.now(), new Change(List.of(now), replaced, NONE));

    assertThat(before(Instant.now().plus(Duration.ofHours(1))))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(unit, again, lost).map(DataFile::name).toList());
    assertThat(before(Instant.now().minus(Duration.ofHours(1)))).as("too young").isEmpty();
  }

  @Test
  void ofTablesInAnotherFormatOrWithoutManifestsNothingIsAnOrphan() throws IOException {
    Instant later = Instant.now().plus(Duration.ofHours(1));
    file("samples/unit-1.parquet");
    assertThat(before(later)).as("no format").isEmpty();
    store.publish("tables/format.json", out -> out.write("{\"version\":2}".getBytes()));
    assertThat(before(later)).as("an older one").isEmpty();
    new TableFormat(store).write();
    assertThat(before(later)).as("no manifests").isEmpty();
  }

  /** A run with one file that is in its table and one that nobody needs. */
  private Store run(String name) throws IOException {
    store = Store.open(folder.resolve(name).toString());
    new TableFormat(store).write();
    DataFile named = file("samples/named.parquet");
    file("samples/orphan.parquet");
    TableLog samples = new TableLog(store, Tables.SAMPLES);
    samples.commit(samples.now(), new Change(List.of(named), NONE, NONE));
    return store;
  }

  @Test
  void aRunThatIsDamagedIsLeftAsItIsAndTheOthersAreTidied() throws IOException {
    Store first = run("first");
    Store damaged = run("damaged");
    Store last = run("last");
    String manifest = damaged.list("tables/_log/samples/manifests/").get(0);
    damaged.publish(manifest, out -> out.write('?'));
    int code =
        new CommandLine(new Runs())
            .execute("gc", "--root", folder.toString(), "--older-than", "0m");
    assertThat(code).isZero();
    for (Store tidied : List.of(first, last)) {
      assertThat(tidied.exists("tables/samples/named.parquet")).isTrue();
      assertThat(tidied.exists("tables/samples/orphan.parquet")).isFalse();
    }
    assertThat(damaged.exists("tables/samples/named.parquet")).isTrue();
    assertThat(damaged.exists("tables/samples/orphan.parquet")).isTrue();
  }
}
