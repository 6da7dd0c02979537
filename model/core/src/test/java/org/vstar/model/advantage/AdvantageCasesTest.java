package org.vstar.model.advantage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.vstar.model.ObjectiveCases.DOUBLE;
import static org.vstar.model.ObjectiveCases.number;
import static org.vstar.model.ObjectiveCases.numbers;
import static org.vstar.model.ObjectiveCases.requireNear;
import static org.vstar.model.ObjectiveCases.rows;
import static org.vstar.model.ObjectiveCases.written;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.vstar.common.Json;
import org.vstar.model.ObjectiveCases;
import org.vstar.model.value.ValueEstimate;

/** Advantages of published methods against the numbers that their own code gives. */
class AdvantageCasesTest {

  private JsonNode settings;
  private JsonNode expected;
  private List<JsonNode> trajectories;

  @TestFactory
  Stream<DynamicTest> advantagesAreThoseOfThePublishedCode() throws IOException {
    return ObjectiveCases.of("advantages.json", this::check);
  }

  private void check(JsonNode one) {
    settings = one.path("settings");
    expected = one.path("expected");
    trajectories = list(one.path("input").path("trajectories"));
    switch (one.path("method").asText()) {
      case "grpo", "dr-grpo" -> whole(groupRelative(settings).of(groups(), returns()));
      case "dapo-dynamic-sampling" -> dynamicSampling();
      case "rloo" -> whole(leaveOneOut().of(groups(), returns(), logRatios()));
      case "reinforce++" -> rewardToGo();
      case "reinforce++-baseline" ->
          whole(
              new WhitenedGroup(1, read("singleton", Singleton.class), whitening())
                  .of(groups(), returns(), ints("tokens"), masked()));
      case "gae" -> generalized();
      case "bi-level-gae" -> biLevel();
      case "gigpo" -> stepGroups();
      case "pvpo" -> baseline(one.path("input").path("references"), 0);
      case "astarpo" -> baseline(one.path("input").path("references"), setting("beta1"));
      case "oapl" -> ownGroup();
      default -> throw new AssertionError("unknown method " + one.path("method"));
    }
  }

  private static List<JsonNode> list(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }

  private double setting(String key) {
    assertThat(settings.has(key)).as(key).isTrue();
    return settings.path(key).asDouble();
  }

  private <T> T read(String key, Class<T> type) {
    return read(settings, key, type);
  }

  private static <T> T read(JsonNode from, String key, Class<T> type) {
    return Json.MAPPER.convertValue(from.path(key), type);
  }

  private List<String> tasks() {
    return trajectories.stream().map(t -> t.path("task").asText()).toList();
  }

  private Groups groups() {
    return new Groups(tasks());
  }

  private double[] returns() {
    return trajectories.stream().mapToDouble(t -> number(t.path("return"))).toArray();
  }

  private int[] ints(String key) {
    return trajectories.stream().mapToInt(t -> t.path(key).asInt()).toArray();
  }

  private boolean[] masked() {
    boolean[] masked = new boolean[trajectories.size()];
    for (int i = 0; i < masked.length; i++) {
      masked[i] = trajectories.get(i).path("masked").asBoolean();
    }
    return masked;
  }

  private Whitening whitening() {
    JsonNode own = settings.path("whiten");
    return own.isNull()
        ? null
        : new Whitening(
            read(own, "deviation", Deviation.class),
            own.path("add").asDouble(),
            own.path("floor").asDouble());
  }

  private static GroupRelative groupRelative(JsonNode settings) {
    return new GroupRelative(
        8,
        read(settings, "scale", GroupRelative.Scale.class),
        read(settings, "deviation", Deviation.class),
        settings.path("epsilon").asDouble(),
        read(settings, "singleton", Singleton.class),
        read(settings, "nan", GroupRelative.Unscored.class));
  }

  private LeaveOneOut leaveOneOut() {
    return new LeaveOneOut(
        8,
        read("singleton", Singleton.class),
        setting("klWeight"),
        settings.path("normalize").asBoolean(),
        setting("epsilon"));
  }

  private double[] logRatios() {
    double[][] old = tokens("logOld");
    double[][] ref = tokens("logRef");
    double[] sums = new double[old.length];
    Arrays.setAll(sums, i -> Arrays.stream(old[i]).sum() - Arrays.stream(ref[i]).sum());
    return sums;
  }

  /** Statistics that do not exist make the update be skipped. */
  private boolean isSkipped(double[][] found) {
    if (!expected.path("skipped").asBoolean()) {
      return false;
    }
    double[] all = Arrays.stream(found).flatMapToDouble(Arrays::stream).toArray();
    assertThat(all.length == 0 || !Arrays.stream(all).allMatch(Double::isFinite))
        .as(expected.path("why").asText())
        .isTrue();
    return true;
  }

  private void whole(double[] found) {
    if (!isSkipped(new double[][] {found})) {
      requireNear(found, numbers(expected.path("advantages")), DOUBLE);
    }
  }

  private void requireRows(double[][] found, String key) {
    double[][] rows = rows(expected.path(key));
    assertThat(found).hasNumberOfRows(rows.length);
    for (int i = 0; i < rows.length; i++) {
      requireNear(found[i], rows[i], DOUBLE);
    }
  }

  private void dynamicSampling() {
    boolean[] kept = GroupFilter.kept(groups(), returns());
    assertThat(kept).isEqualTo(read(expected, "kept", boolean[].class));
    List<JsonNode> stay = new ArrayList<>();
    for (int i = 0; i < kept.length; i++) {
      if (kept[i]) {
        stay.add(trajectories.get(i));
      }
    }
    trajectories = stay;
    whole(groupRelative(settings.path("then")).of(groups(), returns()));
  }

  /** Of each trajectory, of the tokens that the agent wrote. */
  private double[][] tokens(String key) {
    return trajectories.stream()
        .map(t -> written(t.path(key), t.path("mask")))
        .toArray(double[][]::new);
  }

  private double[][] rewards() {
    double klWeight = setting("klWeight");
    double[][] rewards = tokens("rewards");
    if (klWeight > 0) {
      double[][] old = tokens("logOld");
      double[][] ref = tokens("logRef");
      for (int i = 0; i < rewards.length; i++) {
        for (int t = 0; t < rewards[i].length; t++) {
          rewards[i][t] -= klWeight * (old[i][t] - ref[i][t]);
        }
      }
    }
    return rewards;
  }

  private void rewardToGo() {
    RewardToGo method = new RewardToGo(setting("gamma"), setting("klWeight"), whitening());
    double[][] found = method.of(rewards(), masked());
    if (isSkipped(found)) {
      return;
    }
    requireRows(found, "advantages");
    requireRows(Arrays.stream(rewards()).map(method::returns).toArray(double[][]::new), "returns");
  }

  private void estimated(Estimate found) {
    if (!isSkipped(found.advantages())) {
      requireRows(found.advantages(), "advantages");
      requireRows(found.targets(), "targets");
    }
  }

  private void generalized() {
    GeneralizedAdvantage method =
        new GeneralizedAdvantage(
            setting("gamma"),
            setting("lambda"),
            setting("klWeight"),
            whitening(),
            read("observations", GeneralizedAdvantage.Observations.class));
    int[][] observed =
        trajectories.stream().map(AdvantageCasesTest::observed).toArray(int[][]::new);
    estimated(method.of(rewards(), tokens("values"), observed, masked()));
  }

  /** How many tokens of the environment stand behind each of the agent's. */
  private static int[] observed(JsonNode trajectory) {
    List<Integer> observed = new ArrayList<>();
    for (int t = 0; t < trajectory.path("rewards").size(); t++) {
      boolean own = !trajectory.has("mask") || trajectory.path("mask").path(t).asInt() == 1;
      if (own) {
        observed.add(0);
      } else if (!observed.isEmpty()) {
        observed.set(observed.size() - 1, observed.get(observed.size() - 1) + 1);
      }
    }
    return observed.stream().mapToInt(Integer::intValue).toArray();
  }

  private void biLevel() {
    BiLevelAdvantage method =
        new BiLevelAdvantage(
            setting("gamma"),
            setting("lambda"),
            setting("highGamma"),
            whitening(),
            read("turnEnds", BiLevelAdvantage.TurnEnds.class));
    int n = trajectories.size();
    double[][] rewards = new double[n][];
    double[][] values = new double[n][];
    int[][] ends = new int[n][];
    for (int i = 0; i < n; i++) {
      List<JsonNode> turns = list(trajectories.get(i).path("turns"));
      values[i] =
          turns.stream()
              .flatMapToDouble(turn -> Arrays.stream(numbers(turn.path("values"))))
              .toArray();
      rewards[i] = new double[values[i].length];
      ends[i] = turns.stream().mapToInt(turn -> turn.path("values").size()).toArray();
      Arrays.parallelPrefix(ends[i], Integer::sum);
      for (int turn = 0; turn < ends[i].length; turn++) {
        if (rewards[i].length > 0) {
          int last = Math.max(0, ends[i][turn] - 1);
          rewards[i][last] += turns.get(turn).path("reward").asDouble();
        }
      }
    }
    estimated(method.of(rewards, values, ends, masked()));
  }

  private void stepGroups() {
    StepGroups method =
        new StepGroups(
            8,
            setting("gamma"),
            setting("stepWeight"),
            read("norm", StepGroups.Norm.class),
            setting("epsilon"),
            read("episodeStatistics", StepGroups.EpisodeStatistics.class));
    List<StepGroups.Steps> steps =
        trajectories.stream()
            .map(
                t ->
                    new StepGroups.Steps(
                        t.path("task").asText(),
                        list(t.path("steps")).stream().map(s -> s.path("anchor").asText()).toList(),
                        list(t.path("steps")).stream()
                            .mapToDouble(s -> s.path("reward").asDouble())
                            .toArray()))
            .toList();
    StepGroups.Parts parts = method.parts(steps);
    requireRows(method.advantages(parts), "advantages");
    requireRows(parts.episode(), "episode");
    requireRows(parts.step(), "step");
    requireRows(parts.discounted(), "discounted");
    assertThat(parts.sizes()).isEqualTo(read(expected, "groupSizes", int[][].class));
  }

  /** The return against the soft mean of the reference policy's; β₁ = 0 is the mean. */
  private void baseline(JsonNode references, double beta1) {
    double[] found = returns();
    for (int i = 0; i < found.length; i++) {
      String task = tasks().get(i);
      double value = ValueEstimate.of(numbers(references.path(task)), beta1).vStar();
      JsonNode known = expected.path("baseline").path(task);
      if (known.isNumber()) {
        requireNear(value, known.asDouble(), DOUBLE, task);
      }
      found[i] -= value;
    }
    whole(found);
  }

  /** The return against the soft mean of its own group. */
  private void ownGroup() {
    double[] returns = returns();
    double[] found = returns.clone();
    for (int[] members : groups().members()) {
      double[] own = Arrays.stream(members).mapToDouble(member -> returns[member]).toArray();
      double value = ValueEstimate.of(own, setting("beta")).vStar();
      String task = tasks().get(members[0]);
      requireNear(value, expected.path("baseline").path(task).asDouble(), DOUBLE, task);
      Arrays.stream(members).forEach(member -> found[member] -= value);
    }
    whole(found);
  }
}
