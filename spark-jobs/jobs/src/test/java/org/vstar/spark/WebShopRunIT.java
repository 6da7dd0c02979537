package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.Json;
import org.vstar.env.Environment;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.spark.cli.Shop;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.warmstart.WarmStartJob;

/** WebShop through the jobs, on the catalogue of our own. */
class WebShopRunIT {

  private static final SparkSession SPARK = TestRun.session("local[2]");

  @TempDir Path folder;

  @AfterAll
  static void stop() {
    SPARK.stop();
  }

  private static List<Turn> played(TestRun run, Task task, String agent) {
    Environment environment = run.environment();
    Player player = run.open().baselines().get(agent);
    return player.play(environment, task, 1);
  }

  /** Writes what a person might have done on some tasks. */
  private static void visit(TestRun run, Split split, int visits) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Task task : run.environment().tasks(split).subList(0, visits)) {
      EpisodeRow row =
          EpisodeRow.of(
              run.environment(),
              EpisodeRow.PERSON,
              DecodingMode.SAMPLED,
              task,
              0,
              played(run, task, "oracle"));
      lines.add(row.line());
    }
    Files.createDirectories(run.path("visits"));
    Files.write(run.path("visits/visit.jsonl"), lines);
  }

  @Test
  void reportsSayWhatTheRewardsWereMadeOfHowCleanTheSplitIsAndWhatPeopleDid() throws IOException {
    TestRun run = TestRun.webShop(folder).withReference(1);
    visit(run, Split.VALIDATION, 3);
    assertThat(run.run(new EvaluateJob())).as(run.errors()).isZero();
    Path evaluation = run.path("evaluation");
    JsonNode results = Json.MAPPER.readTree(evaluation.resolve("evaluation_results.json").toFile());
    assertThat(results.path("audit").path(0).asText())
        .startsWith("Split product: 20 validation goals");
    JsonNode oracle = method(results, "oracle");
    assertThat(oracle.path("all").path("clusters").asInt()).isBetween(2, 19);
    assertThat(oracle.path("reward_parts").path("type").asDouble()).isEqualTo(1);
    assertThat(method(results, "person").path("all").path("episodes").asInt()).isEqualTo(3);
    assertThat(Files.readString(evaluation.resolve("failure_analysis.md")))
        .contains(
            "Never came to an end",
            "Means over the episodes whose last reward has the part: attributes ");
    assertThat(Files.readString(evaluation.resolve("report.html")))
        .contains("Split product: 20 validation goals", "are also trained on");
  }

  @Test
  void theTrainedPolicyInTheRepositoryBuysProductsThatItHasNotSeen() throws IOException {
    Path published = Path.of("../../../shared/webshop").toAbsolutePath();
    assumeTrue(Files.exists(published), "WebShop's files are not here");
    Path trained = Path.of("../../datasets/policies/webshop-1k").toAbsolutePath();
    TestRun run =
        TestRun.webShop(
            folder,
            "environment.data.products=" + published.resolve("items_shuffle_1000.json"),
            "environment.data.attributes=" + published.resolve("items_ins_v2_1000.json"),
            "environment.data.human=" + published.resolve("items_human_ins.json"),
            // Of the test products none is played, and of the validation goals the first.
            "environment.goals.testGoals=500",
            "environment.goals.validationGoals=40",
            "environment.shop.maxTurns=15",
            "evaluate.trainTasks=0",
            "sampling.constrain=false",
            "sampling.maxTokensPerTurn=320");
    int status = run.run(new EvaluateJob(), "--policy", trained.toString(), "--method", "random");
    assertThat(status).as(run.errors()).isZero();
    JsonNode results =
        Json.MAPPER.readTree(run.path("evaluation/evaluation_results.json").toFile());
    double random = success(method(results, "random"));
    assertThat(success(method(results, "webshop-1k"))).isGreaterThan(random + 0.4);
    String files =
        Json.MAPPER.readTree(trained.resolve("vstar.json").toFile()).path("contentHash").asText();
    assertThat(Files.readString(trained.resolve("README.md"))).contains("`" + files + "`");
  }

  private static double success(JsonNode method) {
    return method.path("all").path("success_rate").asDouble();
  }

  private static JsonNode method(JsonNode results, String name) {
    for (JsonNode method : results.path("methods")) {
      if (method.path("method").asText().equals(name)) {
        return method;
      }
    }
    throw new AssertionError("no method " + name);
  }

  @Test
  void theShopSaysWhyItCannotOpen() throws IOException {
    TestRun lite = new TestRun(folder);
    assertThat(lite.run(new Shop())).isEqualTo(2);
    assertThat(lite.errors()).contains("there are no web pages of environment 'webshop-lite'");
    TestRun shop = TestRun.webShop(folder);
    assertThat(shop.run(new Shop(), "--port", "65536")).isEqualTo(2);
    assertThat(shop.errors()).contains("'--port' is 65536, expected 0 to 65535");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
      String port = Integer.toString(taken.getLocalPort());
      assertThat(shop.run(new Shop(), "--port", port)).isEqualTo(2);
      assertThat(shop.errors()).contains("cannot listen at localhost");
    }
  }

  @Test
  void recordedVisitsToTrainTasksAreImitatedAndThoseToHeldOutTasksAreNot() throws IOException {
    TestRun people = TestRun.webShop(folder.resolve("people"));
    visit(people, Split.TEST, 3);
    String file = people.path("visits").toAbsolutePath().toString();
    String recorded = "warmStart.recorded={file: " + file + ", share: 1}";
    TestRun run = TestRun.webShop(folder.resolve("run"), recorded, "warmStart.rounds=2");
    assertThat(run.run(new WarmStartJob())).isEqualTo(2);
    assertThat(run.errors()).contains("no episode on a train task", file);
    visit(
        TestRun.webShop(folder.resolve("people"), "environment.shop.prompts=ragen"),
        Split.TRAIN,
        1);
    assertThat(run.run(new WarmStartJob())).isEqualTo(2);
    visit(people, Split.TRAIN, 1);
    assertThat(run.run(new WarmStartJob())).as(run.errors()).isZero();
    TestRun without = TestRun.webShop(folder.resolve("without"), "warmStart.rounds=2");
    assertThat(without.run(new WarmStartJob())).as(without.errors()).isZero();
    assertThat(run.reference().fingerprint()).isNotEqualTo(without.reference().fingerprint());
    Files.writeString(people.path("visits/visit.jsonl"), "{\"method\":");
    TestRun broken = TestRun.webShop(folder.resolve("broken"), recorded);
    assertThat(broken.run(new WarmStartJob())).isEqualTo(2);
    assertThat(broken.errors()).contains("visit.jsonl, line 1: not an episode");
  }
}
