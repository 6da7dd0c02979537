package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.Store;
import org.vstar.spark.table.SamplePlan.Unit;

class SamplePlanTest {

  private static final SortedMap<String, String> ABOUT =
      new TreeMap<>(Map.of("policy_fingerprint", "p", "seed", "7"));

  @TempDir Path folder;
  private Store store;

  @BeforeEach
  void open() {
    store = Store.open(folder.toString());
  }

  private static SampleIndices indices(String task, int... some) {
    SampleIndices indices = new SampleIndices();
    for (int index : some) {
      indices.add(task, index);
    }
    return indices;
  }

  private static SamplePlan plan(Unit... units) {
    return new SamplePlan(ABOUT, 40, List.of(units));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder.resolve("tables/_log/samples/plans"))) {
      return all.sorted().toList();
    }
  }

  @Test
  void aUnitIsNamedByItsSamplesFingerprintsAndSeed() {
    Unit unit = Unit.of(ABOUT, indices("t", 0, 1, 4));
    assertThat(unit.parts()).isEqualTo(Map.of("t", "0-1,4"));
    assertThat(Unit.of(ABOUT, indices("t", 4, 1, 0))).isEqualTo(unit);
    assertThat(Unit.of(ABOUT, indices("t", 0, 1)).name()).isNotEqualTo(unit.name());
    assertThat(Unit.of(ABOUT, indices("u", 0, 1, 4)).name()).isNotEqualTo(unit.name());
    SortedMap<String, String> other = new TreeMap<>(ABOUT);
    other.put("seed", "8");
    assertThat(Unit.of(other, indices("t", 0, 1, 4)).name()).isNotEqualTo(unit.name());
  }

  @Test
  void thePlanOfTheNewestStateIsReadAsItWasWritten() throws IOException {
    assertThat(SamplePlan.newest(store, ABOUT)).isEmpty();
    SamplePlan first = plan(Unit.of(ABOUT, indices("t", 0)), Unit.of(ABOUT, indices("u", 0)));
    SamplePlan second = plan(Unit.of(ABOUT, indices("t", 1)));
    second.publish(store, 12);
    first.publish(store, 3);
    assertThat(SamplePlan.newest(store, ABOUT)).contains(second);
  }

  @Test
  void ofTwoPlansOfOneStateTheOneThatWantsMoreSamplesCounts() throws IOException {
    SamplePlan eight = new SamplePlan(ABOUT, 8, List.of(Unit.of(ABOUT, indices("t", 0, 7))));
    SamplePlan sixteen = new SamplePlan(ABOUT, 16, List.of(Unit.of(ABOUT, indices("t", 8, 15))));
    SamplePlan four = new SamplePlan(ABOUT, 4, List.of(Unit.of(ABOUT, indices("t", 0, 3))));
    for (SamplePlan plan : List.of(eight, sixteen, four)) {
      plan.publish(store, 3);
    }
    assertThat(SamplePlan.newest(store, ABOUT)).contains(sixteen);
    SortedMap<String, String> other = new TreeMap<>(ABOUT);
    other.put("seed", "8");
    new SamplePlan(other, 64, List.of(Unit.of(other, indices("t", 63)))).publish(store, 4);
    assertThat(SamplePlan.newest(store, ABOUT)).as("another run's").contains(sixteen);
    assertThat(sixteen.samplesPerTask()).isEqualTo(16);
    assertThat(eight.samplesPerTask()).isEqualTo(8);
  }

  @Test
  void aPlanThatIsMadeAgainIsWrittenOnce() throws IOException {
    plan(Unit.of(ABOUT, indices("t", 0))).publish(store, 3);
    plan(Unit.of(ABOUT, indices("t", 0))).publish(store, 3);
    assertThat(files()).hasSize(1);
  }

  @Test
  void aChangedPlanIsRefusedWithWhatToDo() throws IOException {
    plan(Unit.of(ABOUT, indices("t", 0))).publish(store, 3);
    Path file = files().get(0);
    Files.writeString(file, Files.readString(file).replace(": 40", ": 41"));
    assertThatThrownBy(() -> SamplePlan.newest(store, ABOUT))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll(file.toString(), "was changed", "delete it");
  }
}
