package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;
import org.vstar.spark.warmstart.WarmStartJob;

/** Every seed of a small run, as Flight Recorder saw it derived. */
class SeedsIT {

  @TempDir private Path folder;
  private SparkSession spark;

  @BeforeEach
  void start() {
    spark = TestRun.session("local[2]");
  }

  @AfterEach
  void stop() {
    spark.stop();
  }

  /** A seed that was derived, and what for. */
  private record Derived(long parent, String purpose, String subject, long seed) {
    static Derived of(RecordedEvent event) {
      return new Derived(
          event.getLong("parent"),
          event.getString("purpose"),
          event.getString("subject"),
          event.getLong("seed"));
    }
  }

  private List<Derived> derivedIn(TestRun run) throws IOException {
    Path file = folder.resolve("seeds.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("org.vstar.Seed").withoutStackTrace();
      recording.start();
      assertThat(run.run(new WarmStartJob())).as(run.errors()).isZero();
      assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
      assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
      assertThat(run.run(new EvaluateJob())).as(run.errors()).isZero();
      recording.stop();
      recording.dump(file);
    }
    List<Derived> derived = new ArrayList<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      derived.add(Derived.of(event));
    }
    return derived;
  }

  @Test
  void noNumberServesTwoPurposesInASmallRun() throws IOException {
    TestRun run =
        TestRun.webShop(
            folder.resolve("run"),
            "sampling.constrain=false",
            "environment.training.variants=2",
            "environment.training.wordSubstitution=0.5",
            "environment.goals.trainPerProduct=1");
    List<Derived> derived = derivedIn(run);
    Map<Long, Derived> bySeed = new HashMap<>();
    Set<Long> parents = new HashSet<>();
    Set<String> purposes = new TreeSet<>();
    for (Derived one : derived) {
      // What is derived again for the same thing is the same number.
      assertThat(bySeed.computeIfAbsent(one.seed(), s -> one)).isEqualTo(one);
      parents.add(one.parent());
      purposes.add(one.purpose());
    }
    assertThat(purposes)
        .contains(
            "warm start",
            "minibatch",
            "demonstrations",
            "agent",
            "weights",
            "goals made up",
            "variation of a task",
            "words of a variation",
            "sample",
            "environment",
            "tokens",
            "order of tasks",
            "rollout of training",
            "validation",
            "evaluation");
    // A seed that others derive from is drawn from by nobody: a stream has no child.
    Set<String> streams = Set.of("tokens", "environment", "weights", "demonstrations", "agent");
    assertThat(derived.stream().filter(d -> streams.contains(d.purpose())).map(Derived::seed))
        .doesNotContainAnyElementsOf(parents);
    assertThat(bySeed.size()).isGreaterThan(1000);
  }
}
