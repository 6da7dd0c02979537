package org.vstar.env.ragen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Episode;
import org.vstar.env.Opened;
import org.vstar.env.Outcome;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;

class GameEnvironmentTest {

  private static final String FEW = "tasks: {train: 60, validation: 20, test: 20}";

  static Stream<String> games() {
    return Stream.of(
        "{kind: frozenlake, frozen: 0.7, " + FEW + "}",
        "{kind: sokoban, " + FEW + "}",
        "{kind: sokoban, room: {rows: 8, columns: 8, boxes: 2, depth: 10}, mode: grid_coord, "
            + FEW
            + "}",
        "{kind: countdown, " + FEW + "}",
        "{kind: ragen-bandit, " + FEW + "}");
  }

  private record Holder(EnvironmentConfig environment) {}

  @TempDir private Path folder;

  private Opened open(String config) {
    Path file = folder.resolve("game.yaml");
    try {
      Files.writeString(file, "environment: " + config + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ConfigFile()
        .with(EnvironmentKind.all())
        .read(file, Map.of(), Holder.class)
        .environment()
        .open(folder, 7);
  }

  private static double success(Opened opened, String player, Split split) {
    Environment environment = opened.environment();
    Player plays = opened.baselines().get(player);
    List<Task> tasks = environment.tasks(split);
    double won = 0;
    for (int i = 0; i < tasks.size(); i++) {
      List<Turn> turns = plays.play(environment, tasks.get(i), i);
      won += turns.get(turns.size() - 1).outcome().success() ? 1 : 0;
    }
    return won / tasks.size();
  }

  @ParameterizedTest
  @MethodSource("games")
  void heldOutTasksShareNoBoardThatIsAlikeWithTrainTasks(String config) {
    Environment environment = open(config).environment();
    Set<String> keys = new HashSet<>();
    environment.tasks(Split.TRAIN).forEach(task -> keys.add(task.cluster()));
    for (Split split : List.of(Split.VALIDATION, Split.TEST)) {
      assertThat(environment.tasks(split)).hasSize(20).noneMatch(t -> keys.contains(t.cluster()));
      assertThat(environment.audit(split).get(0))
          .contains("; 0 of the tasks have a board like one");
    }
  }

  @ParameterizedTest
  @MethodSource("games")
  void theSamePlayerAndSeedPlayTheSameEpisodeInACopyThatTravelled(String config) throws Exception {
    Opened opened = open(config);
    Environment copy = travelled(opened.environment());
    assertThat(copy.fingerprint()).isEqualTo(opened.environment().fingerprint());
    Task task = opened.environment().tasks(Split.TEST).get(3);
    for (Player player : opened.baselines().values()) {
      assertThat(player.play(copy, task, 5)).isEqualTo(player.play(opened.environment(), task, 5));
    }
    assertThat(opened.demonstrations().batch(1, 5)).isEqualTo(opened.demonstrations().batch(1, 5));
    assertThat(opened.demonstrations().batch(1, 5))
        .isNotEqualTo(opened.demonstrations().batch(2, 5));
  }

  private static final String SURE_FOOTED = "{kind: frozenlake, rate: 1.0, " + FEW + "}";

  @Test
  void gamesWithoutChanceSaySoAndLeadToTheSameWhateverTheWorldsSeed() {
    for (String config : Stream.concat(games(), Stream.of(SURE_FOOTED)).toList()) {
      Opened opened = open(config);
      Environment environment = opened.environment();
      boolean chance = config.contains("frozen: 0.7") || config.contains("bandit");
      assertThat(environment.deterministic()).as(config).isEqualTo(!chance);
      for (Task task : chance ? List.<Task>of() : environment.tasks(Split.TRAIN)) {
        List<String> actions = new ArrayList<>();
        opened
            .baselines()
            .get("random")
            .play(environment, task, 3)
            .forEach(turn -> actions.add(turn.answer().action()));
        assertThat(walk(environment.start(task, 11), actions))
            .as(config)
            .isEqualTo(walk(environment.start(task, 12), actions));
      }
    }
  }

  private static List<Object> walk(Episode episode, List<String> actions) {
    List<Object> seen = new ArrayList<>(List.of(episode.observation()));
    for (String action : actions) {
      Outcome outcome = episode.step(action);
      seen.add(outcome);
      if (outcome.done()) {
        break;
      }
      seen.add(episode.observation());
      seen.add(episode.stateKey());
    }
    return seen;
  }

  private static Environment travelled(Environment environment)
      throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(environment);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (Environment) in.readObject();
    }
  }

  @ParameterizedTest
  @MethodSource("games")
  void aSearchWinsMoreThanTheSimpleRuleAndTheSimpleRuleDoesNotWinAlways(String config) {
    Opened opened = open(config);
    double expert = success(opened, "expert", Split.VALIDATION);
    double greedy = success(opened, "greedy", Split.VALIDATION);
    assertThat(expert).isGreaterThan(greedy).isGreaterThan(0.6);
    assertThat(success(opened, "random", Split.VALIDATION)).isLessThan(expert);
  }

  @ParameterizedTest
  @MethodSource("games")
  void whatIsNoActionSpendsATurnChangesNothingAndIsSaid(String config) {
    Environment environment = open(config).environment();
    Episode episode = environment.start(environment.tasks(Split.TRAIN).get(0));
    String state = episode.stateKey();
    Outcome outcome = episode.step(environment.answerFormat().read("I do not know", true).action());
    assertThat(outcome.reward()).isEqualTo(-0.1);
    assertThat(outcome.valid()).isFalse();
    assertThat(episode.stateKey()).isEqualTo(state);
    assertThat(episode.observation()).contains("No valid action provided previously");
  }

  @Test
  void slipsAreTheWorldsAndNeverChangeThePrompt() {
    Environment lake = open("{kind: frozenlake, rate: 0.3, " + FEW + "}").environment();
    Task task = lake.tasks(Split.TRAIN).get(1);
    Set<String> seen = new HashSet<>();
    for (long seed = 0; seed < 40; seed++) {
      Episode episode = lake.start(task, -seed);
      assertThat(episode.observation()).isEqualTo(task.prompt());
      episode.step("Left || Up");
      seen.add(episode.stateKey());
    }
    assertThat(seen).hasSizeGreaterThan(2);
  }

  @Test
  void aTaskOfAnotherGameAndASeedThatIsNoTaskAreRefused() {
    Environment lake = open("{kind: frozenlake, " + FEW + "}").environment();
    Environment room = open("{kind: sokoban, " + FEW + "}").environment();
    Task task = room.tasks(Split.TRAIN).get(0);
    assertThatThrownBy(() -> lake.start(task, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(task.id());
    Task first = lake.tasks(Split.TRAIN).get(0);
    Task never =
        new Task("seed-1", first.environment(), Split.TRAIN, first.prompt(), "4 steps", "key");
    assertThatThrownBy(() -> lake.start(never, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("seed-1");
  }

  @Test
  void theSystemsMessageSaysTheRulesWithTheLoopsOwnBudget() {
    Environment lake = open("{kind: frozenlake, loop: {actions: 6}, " + FEW + "}").environment();
    assertThat(lake.systemMessage().orElseThrow())
        .startsWith("You're a helpful assistant. You are solving the FrozenLake puzzle.")
        .contains("You can make up to 6 actions");
  }

  @Test
  void moreTasksThanThereAreBoardsAreRefusedWithTheirNumber() {
    assertThatThrownBy(
            () -> open("{kind: frozenlake, size: 2, tasks: {train: 60, validation: 1, test: 1}}"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("environment.tasks.")
        .hasMessageContaining("different boards");
  }

  @Test
  void theAuditCountsWhatRagensOwnValidationSharesWithItsTraining() {
    assertThat(open("{kind: frozenlake, " + FEW + "}").environment().audit(Split.TEST).get(2))
        .contains(
            "117 boards are also trained on, 258 are like one that is, 0 seeds give no board");
    assertThat(open("{kind: sokoban, " + FEW + "}").environment().audit(Split.TEST).get(2))
        .contains(
            "111 boards are also trained on, 396 are like one that is, 0 seeds give no board");
  }
}
