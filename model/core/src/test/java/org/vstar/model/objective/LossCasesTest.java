package org.vstar.model.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.vstar.model.ObjectiveCases.DOUBLE;
import static org.vstar.model.ObjectiveCases.number;
import static org.vstar.model.ObjectiveCases.numbers;
import static org.vstar.model.ObjectiveCases.requireNear;
import static org.vstar.model.ObjectiveCases.requireRelative;
import static org.vstar.model.ObjectiveCases.written;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.vstar.common.Json;
import org.vstar.model.ObjectiveCases;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.Deviation;
import org.vstar.model.advantage.GroupRelative;
import org.vstar.model.advantage.Singleton;
import org.vstar.model.objective.Objective.LogProbs;
import org.vstar.model.objective.Objective.Loss;
import org.vstar.model.value.ValueEstimate;

/** Losses and gradients of published methods against the numbers that their own code gives. */
class LossCasesTest {

  private JsonNode settings;
  private JsonNode expected;
  private List<JsonNode> trajectories;

  @TestFactory
  Stream<DynamicTest> lossesAndGradientsAreThoseOfThePublishedCode() throws IOException {
    return ObjectiveCases.of("losses.json", this::check);
  }

  private void check(JsonNode one) {
    settings = one.path("settings");
    expected = one.path("expected");
    trajectories =
        StreamSupport.stream(one.path("input").path("trajectories").spliterator(), false).toList();
    JsonNode references = one.path("input").path("references");
    switch (one.path("form").asText()) {
      case "clipped" -> policyLoss(PolicyTerm.Surrogate.CLIPPED);
      case "reinforce" -> policyLoss(PolicyTerm.Surrogate.LOG_PROBABILITY);
      case "astarpo-regression" ->
          objective(
              new AStarPoRegression(setting("beta2"), setting("entropyWeight"), denominator()),
              trajectories.stream().map(LossCasesTest::advantage).toList(),
              "logRef");
      case "astarpo-policy-gradient" ->
          objective(
              new AStarPoPolicyGradient(
                  setting("beta2"),
                  setting("klWeight"),
                  setting("advantageClip"),
                  setting("entropyWeight"),
                  denominator()),
              trajectories.stream().map(LossCasesTest::advantage).toList(),
              "logRef");
      case "oapl" ->
          objective(
              new Oapl(setting("beta"), read("averageLogProbs", Oapl.Average.class), denominator()),
              against(references, setting("beta")),
              "logRef");
      case "oapl-paper" ->
          objective(
              new AStarPoRegression(setting("beta2"), 0, denominator()),
              against(references, setting("beta1")),
              "logRollout");
      case "value" -> value();
      default -> throw new AssertionError("unknown form " + one.path("form"));
    }
  }

  private double setting(String key) {
    assertThat(settings.has(key)).as(key).isTrue();
    return settings.path(key).asDouble();
  }

  private Double optional(String key) {
    return optional(settings, key);
  }

  private static Double optional(JsonNode from, String key) {
    return from.path(key).isNumber() ? from.path(key).asDouble() : null;
  }

  private <T> T read(String key, Class<T> type) {
    return Json.MAPPER.convertValue(settings.path(key), type);
  }

  private Aggregation.Denominator denominator() {
    return read("denominator", Aggregation.Denominator.class);
  }

  private static Advantage advantage(JsonNode trajectory) {
    JsonNode own = trajectory.path("advantage");
    return own.isArray()
        ? Advantage.ofTokens(written(own, trajectory.path("mask")))
        : Advantage.same(number(own));
  }

  /** Rewards against the soft mean of the reference policy's. */
  private List<Advantage> against(JsonNode references, double beta1) {
    return trajectories.stream()
        .map(
            t -> {
              double[] samples = numbers(references.path(t.path("task").asText()));
              double value = ValueEstimate.of(samples, beta1).vStar();
              return Advantage.same(number(t.path("reward")) - value);
            })
        .toList();
  }

  private static float[] floats(JsonNode trajectory, String key, String otherwise) {
    String there = trajectory.has(key) ? key : otherwise;
    double[] values = written(trajectory.path(there), trajectory.path("mask"));
    float[] floats = new float[values.length];
    for (int t = 0; t < floats.length; t++) {
      floats[t] = (float) values[t];
    }
    return floats;
  }

  private static LogProbs logProbs(JsonNode t, String ref) {
    return new LogProbs(
        floats(t, "logPi", "logPi"),
        floats(t, "logOld", "logPi"),
        floats(t, ref, "logPi"),
        floats(t, "logRollout", t.has("logOld") ? "logOld" : "logPi"));
  }

  private ImportanceCorrection correction() {
    JsonNode own = settings.path("correction");
    return own.isNull() || own.isMissingNode()
        ? null
        : new ImportanceCorrection(
            Json.MAPPER.convertValue(own.path("numerator"), ImportanceCorrection.Numerator.class),
            own.path("weight").isNull()
                ? null
                : Json.MAPPER.convertValue(own.path("weight"), ImportanceCorrection.Of.class),
            optional(own, "weightMin"),
            optional(own, "weightMax"),
            Json.MAPPER.convertValue(own.path("outside"), ImportanceCorrection.Outside.class),
            optional(own, "logBound"),
            own.path("reject").isNull()
                ? null
                : Json.MAPPER.convertValue(
                    own.path("reject"), ImportanceCorrection.Rejection.class));
  }

  private void policyLoss(PolicyTerm.Surrogate surrogate) {
    KlEstimate kind =
        settings.path("klKind").isNull() ? KlEstimate.K2 : read("klKind", KlEstimate.class);
    TokenLoss loss =
        new TokenLoss(
            new PolicyTerm(
                surrogate,
                setting("clipLow"),
                setting("clipHigh"),
                optional("dualClip"),
                optional("ratioMax"),
                optional("logRatioBound")),
            new KlPenalty(setting("klWeight"), kind, optional("klLogBound"), optional("klBound")),
            setting("entropyWeight"),
            correction(),
            denominator(),
            settings.path("maxLength").asInt(1));
    GroupRelative unused =
        new GroupRelative(
            1,
            GroupRelative.Scale.NONE,
            Deviation.SAMPLE,
            0,
            Singleton.RETURN,
            GroupRelative.Unscored.SKIP);
    objective(
        new Grpo(
            unused, read("ratio", Ratio.class), read("aggregation", Aggregation.Mode.class), loss),
        trajectories.stream().map(LossCasesTest::advantage).toList(),
        "logRef");
  }

  private void objective(Objective objective, List<Advantage> advantages, String ref) {
    int n = trajectories.size();
    boolean[] masked = new boolean[n];
    int[] tokens = new int[n];
    List<LogProbs> logProbs = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      LogProbs p = logProbs(trajectories.get(i), ref);
      logProbs.add(p);
      tokens[i] = p.length();
      masked[i] =
          trajectories.get(i).path("masked").asBoolean() || objective.rejects(p.old(), p.sampled());
    }
    double divisor = objective.lossAggregation().divisor(tokens, masked);
    double total = 0;
    double[] values = new double[n];
    double[][] gradients = new double[n][];
    double[] weighed = new double[n];
    int[] counts = new int[3];
    double moved = 0;
    for (int i = 0; i < n; i++) {
      gradients[i] = new double[tokens[i]];
      if (masked[i]) {
        continue;
      }
      Loss loss = objective.loss(logProbs.get(i), advantages.get(i));
      values[i] = loss.value();
      weighed[i] = loss.advantage();
      total += loss.value() / divisor;
      for (int t = 0; t < tokens[i]; t++) {
        gradients[i][t] = loss.logProbGradient()[t] / divisor;
      }
      moved += loss.approxKl();
      counts[0] += loss.clipped();
      counts[1] += loss.dualClipped();
      counts[2] += tokens[i];
    }
    compare(total, values, gradients, divisor);
    fractions(counts);
    if (expected.path("approxKl").isNumber()) {
      double approxKl = expected.path("approxKl").asDouble();
      requireNear(moved / Math.max(1, counts[2]), approxKl, DOUBLE, "approxKl");
    }
    if (expected.has("clippedAdvantage")) {
      requireNear(weighed, numbers(expected.path("clippedAdvantage")), DOUBLE);
    }
    divergences(logProbs, masked);
  }

  private void compare(double total, double[] values, double[][] gradients, double divisor) {
    if (expected.path("skipped").asBoolean()) {
      boolean finite = Double.isFinite(total);
      for (double[] gradient : gradients) {
        finite &= Arrays.stream(gradient).allMatch(Double::isFinite);
      }
      assertThat(finite).as(expected.path("why").asText()).isFalse();
      return;
    }
    requireNear(total, number(expected.path("loss")), DOUBLE, "loss");
    JsonNode gradient = expected.path("gradient");
    for (int i = 0; i < values.length; i++) {
      if (expected.path("perTrajectory").path(i).isNumber()) {
        requireNear(values[i], number(expected.path("perTrajectory").path(i)), DOUBLE, "of " + i);
        double share = number(expected.path("share").path(i));
        requireNear(values[i] / divisor, share, DOUBLE, "share of " + i);
      }
      double[] own = written(gradient.path(i), trajectories.get(i).path("mask"));
      assertThat(gradients[i]).hasSameSizeAs(own);
      for (int t = 0; t < own.length; t++) {
        if (!isKink(i, t, gradients[i][t])) {
          requireRelative(gradients[i][t], own[t], "gradient " + i + ", " + t);
        }
      }
    }
  }

  private static double[] row(JsonNode trajectory, String key) {
    return written(trajectory.path(key), trajectory.path("mask"));
  }

  /** Every number between the one-sided derivatives is a right gradient at a corner. */
  private boolean isKink(int trajectory, int token, double gradient) {
    for (JsonNode kink : expected.path("kinks")) {
      JsonNode mask = trajectories.get(trajectory).path("mask");
      int place = kink.path("token").asInt();
      int own = place - (int) numbersOf(mask, place).filter(m -> m == 0).count();
      if (kink.path("trajectory").asInt() == trajectory && own == token) {
        assertThat(gradient)
            .isBetween(kink.path("low").asDouble() - 1e-6, kink.path("high").asDouble() + 1e-6);
        return true;
      }
    }
    return false;
  }

  /** The first of a mask's numbers; none where all tokens are the agent's. */
  private static DoubleStream numbersOf(JsonNode mask, int count) {
    return Arrays.stream(numbers(mask)).limit(count);
  }

  private void fractions(int[] counts) {
    boolean certain = !expected.path("kinks").isArray();
    if (expected.has("clipFraction") && certain) {
      double tokens = Math.max(1, counts[2]);
      requireNear(counts[0] / tokens, number(expected.path("clipFraction")), DOUBLE, "clipped");
      if (expected.has("dualClipFraction")) {
        double dual = number(expected.path("dualClipFraction"));
        requireNear(counts[1] / tokens, dual, DOUBLE, "dual clipped");
      }
    }
  }

  /** The estimates of the divergence, without bounds, over the tokens that count. */
  private void divergences(List<LogProbs> logProbs, boolean[] masked) {
    double none = Double.POSITIVE_INFINITY;
    for (KlEstimate kind : List.of(KlEstimate.K1, KlEstimate.K2, KlEstimate.K3)) {
      JsonNode own = expected.path("kl").path(kind.word());
      if (own.isNumber()) {
        double sum = 0;
        int tokens = 0;
        for (int i = 0; i < masked.length; i++) {
          LogProbs p = logProbs.get(i);
          for (int t = 0; !masked[i] && t < p.length(); t++, tokens++) {
            sum += kind.value((double) p.pi()[t] - p.ref()[t], none, none);
          }
        }
        requireNear(sum / Math.max(1, tokens), own.asDouble(), DOUBLE, kind.word());
      }
    }
  }

  private void value() {
    int n = trajectories.size();
    Aggregation.Mode mode = read("aggregation", Aggregation.Mode.class);
    int length = settings.path("maxLength").asInt(1);
    ValueLoss loss = new ValueLoss(optional("clip"), mode, length);
    int[] tokens = trajectories.stream().mapToInt(t -> row(t, "value").length).toArray();
    boolean[] masked = new boolean[n];
    for (int i = 0; i < n; i++) {
      masked[i] = trajectories.get(i).path("masked").asBoolean();
    }
    double divisor = new Aggregation(mode, denominator(), length).divisor(tokens, masked);
    double total = 0;
    double[] values = new double[n];
    double[][] gradients = new double[n][];
    int clipped = 0;
    for (int i = 0; i < n; i++) {
      JsonNode t = trajectories.get(i);
      gradients[i] = new double[tokens[i]];
      if (masked[i]) {
        continue;
      }
      ValueLoss.Loss own = loss.of(row(t, "value"), row(t, "oldValue"), row(t, "target"));
      values[i] = own.value();
      total += own.value() / divisor;
      gradients[i] = Arrays.stream(own.gradient()).map(g -> g / divisor).toArray();
      clipped += own.clipped();
    }
    compare(total, values, gradients, divisor);
    fractions(new int[] {clipped, 0, Arrays.stream(tokens).sum()});
  }
}
