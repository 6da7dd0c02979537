package org.vstar.spark.evaluate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.Json;
import org.vstar.env.Split;
import org.vstar.model.policy.BeamConfig;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.Rollouts;
import org.vstar.spark.TestRun;
import org.vstar.spark.cli.Play;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.score.EpisodeRow.TurnRow;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

class EvaluateJobIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  @TempDir Path folder;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  private static List<String> lines(TestRun run, String file) throws IOException {
    return Files.readAllLines(run.path("evaluation").resolve(file));
  }

  @Test
  void allValidationTasksArePlayedByEveryMethodAndWrittenInEveryForm() throws IOException {
    TestRun run = new TestRun(folder).withReference(1);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    assertThat(run.run(new EvaluateJob())).as(run.errors()).isZero();

    List<String> summary = lines(run, "summary.csv");
    assertThat(summary.get(0)).startsWith("method,success_rate,avg_reward,avg_steps,");
    assertThat(summary.stream().skip(1).map(l -> l.substring(0, l.indexOf(','))))
        .containsExactly(
            "random",
            "heuristic",
            "expert",
            "reference",
            "reference greedy",
            "A*-PO regression",
            "A*-PO regression greedy");
    assertThat(summary).anyMatch(l -> l.startsWith("expert,1.000000,1.1000,2.000,"));

    List<String> episodes = lines(run, "episodes.jsonl");
    assertThat(episodes).hasSize(5 * 100 + 2 * 50);
    JsonNode first = Json.MAPPER.readTree(episodes.get(0));
    assertThat(first.path("method").asText()).isEqualTo("random");
    assertThat(first.path("turns").path(0).path("observation").asText()).startsWith("TASK: ");

    JsonNode results =
        Json.MAPPER.readTree(run.path("evaluation/evaluation_results.json").toFile());
    JsonNode reference = results.path("methods").path(3);
    assertThat(reference.path("by_category").size()).isEqualTo(8);
    int failures = 0;
    for (JsonNode count : reference.path("failures")) {
      failures += count.asInt();
    }
    assertThat(failures + reference.path("all").path("successes").asInt()).isEqualTo(100);

    assertThat(String.join("\n", lines(run, "failure_analysis.md")))
        .contains("## heuristic: ", "### wrong buy: ", "TASK: User wants");
    assertThat(String.join("\n", lines(run, "report.html")))
        .contains("Validation tasks", "regression, greedy on validation tasks", "counts");
    assertThat(Files.readString(run.path("train-regression/report.html")))
        .contains("Trained: 6 updates.");
    assertThat(Files.readAllLines(run.path("train-regression/episodes/step-000006.jsonl")))
        .hasSize(8)
        .allMatch(line -> line.contains("\"learned\":{\"step\":5,\"v_star\":"));
  }

  @Test
  void theFinalEvaluationPlaysTheTestTasksAndSaysSo() throws IOException {
    TestRun run = new TestRun(folder);
    assertThat(run.run(new EvaluateJob(), "--method", "expert", "--final"))
        .as(run.errors())
        .isZero();
    assertThat(Files.readAllLines(run.path("evaluation-final/episodes.jsonl"))).hasSize(200);
    assertThat(Files.readString(run.path("evaluation-final/report.html")))
        .contains("Test tasks, the final evaluation", "100 test goals");
    assertThat(run.path("evaluation")).doesNotExist();
  }

  @Test
  void aPolicyThatLiesAnywhereCanBeEvaluatedAndWatched() throws IOException {
    Path mine = new TestRun(folder.resolve("other")).withReference(1).path("reference");
    TestRun run = new TestRun(folder.resolve("run"), "evaluate.trainTasks=12");
    assertThat(run.run(new EvaluateJob(), "--policy", mine.toString(), "--method", "expert"))
        .as(run.errors())
        .isZero();
    assertThat(lines(run, "summary.csv").stream().skip(1).map(l -> l.substring(0, l.indexOf(','))))
        .containsExactly("expert", "reference", "reference greedy");
    assertThat(Files.readString(run.path("evaluation/report.html")))
        .containsPattern("reference, greedy: [0-9.]+ % of 12 train tasks, [0-9.]+ % of the valid");
    PrintStream out = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(run.run(new Play(), "--policy", mine.toString(), "--task", "0"))
          .as(run.errors())
          .isZero();
    } finally {
      System.setOut(out);
    }
    assertThat(said.toString(StandardCharsets.UTF_8))
        .contains("TASK: User wants", "1 of ", "reward", "return ");
    assertThat(run.run(new EvaluateJob(), "--policy", mine.toString(), "--policy", mine.toString()))
        .isEqualTo(2);
    assertThat(run.errors()).contains("there is a method 'reference' already");
    Path none = folder.resolve("none");
    assertThat(run.run(new EvaluateJob(), "--policy", none.toString())).isEqualTo(2);
    assertThat(run.errors()).contains("none");
  }

  /** What the reference did in one mode, task by task. */
  private static Set<String> played(TestRun run, String mode) throws IOException {
    Set<String> actions = new TreeSet<>();
    for (EpisodeRow row : EpisodeRow.read("episodes", lines(run, "episodes.jsonl"))) {
      if (row.mode().toString().equals(mode)) {
        actions.add(row.taskId() + row.turns().stream().map(TurnRow::action).toList());
      }
    }
    return actions;
  }

  @Test
  void answersAreSampledAtEveryTemperatureAskedForAndSearchedForAndNearZeroTheyAreTheGreedyOnes()
      throws IOException {
    TestRun run =
        new TestRun(folder, "evaluate.temperatures=[0.0001, 0.5]", "evaluate.beams.width=3")
            .withReference(1);
    assertThat(run.run(new EvaluateJob(), "--method", "reference")).as(run.errors()).isZero();
    assertThat(lines(run, "summary.csv").stream().skip(1).map(l -> l.substring(0, l.indexOf(','))))
        .containsExactly(
            "reference",
            "reference at 1.0E-4",
            "reference at 0.5",
            "reference greedy",
            "reference beams of 3");
    assertThat(played(run, "sampled at 1.0E-4")).isEqualTo(played(run, "greedy"));
    assertThat(played(run, "sampled at 0.5"))
        .isNotEqualTo(played(run, "greedy"))
        .isNotEqualTo(played(run, "sampled"));
    assertThat(played(run, "beams of 3")).isEqualTo(searched(run, 3));
    for (String bad : List.of("[0.5, 0.5]", "[0]", "[null]")) {
      TestRun refused = new TestRun(folder, "evaluate.temperatures=" + bad);
      assertThat(refused.run(new EvaluateJob())).as(bad).isEqualTo(2);
      assertThat(refused.errors()).contains("evaluate.temperatures", "numbers above 0, each once");
    }
  }

  /** The same of answers that are searched for in this process. */
  private static Set<String> searched(TestRun run, int width) {
    List<Request> requests =
        run.environment().tasks(Split.VALIDATION).stream()
            .map(task -> new Request(task, 0, 1))
            .toList();
    Set<String> actions = new TreeSet<>();
    new Rollouts(run.environment(), run.reference(), run.config().sampling())
        .searching(new BeamConfig(width, 1, 10))
        .run(requests, 8, 2)
        .forEach(
            own ->
                actions.add(
                    own.task().id()
                        + own.turns().stream().map(turn -> turn.answer().action()).toList()));
    return actions;
  }

  @Test
  void oneMethodCanBeChosenAndAnUnknownOneIsRefused() throws IOException {
    TestRun run = new TestRun(folder);
    assertThat(run.run(new EvaluateJob(), "--method", "heuristic")).as(run.errors()).isZero();
    assertThat(lines(run, "summary.csv")).hasSize(2);
    run.withReference(1);
    assertThat(run.run(new EvaluateJob(), "--method", "oracle")).isEqualTo(2);
    assertThat(run.errors()).contains("no method 'oracle'", "heuristic", "reference");
  }
}
