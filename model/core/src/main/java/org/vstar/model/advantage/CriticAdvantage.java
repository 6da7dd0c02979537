package org.vstar.model.advantage;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.vstar.model.engine.Sequence;

/** Generalised advantages against a critic's values, which learns from the same trajectories. */
public final class CriticAdvantage implements AdvantageEstimator {

  private final Critic critic;
  private final GeneralizedAdvantage ofTokens;
  private final Optional<BiLevelAdvantage> ofTurns;
  private final Map<String, Double> metrics = new HashMap<>();

  /**
   * Estimates with a critic.
   *
   * @param ofTokens how advantages of tokens are estimated
   * @param ofTurns estimates those of turns, and of the tokens in each, in its place
   */
  public CriticAdvantage(
      Critic critic, GeneralizedAdvantage ofTokens, Optional<BiLevelAdvantage> ofTurns) {
    this.critic = critic;
    this.ofTokens = ofTokens;
    this.ofTurns = ofTurns;
  }

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    double[][] values = critic.values(step);
    double[][] rewards =
        step.stream()
            .map(own -> own.tokenRewards(ofTokens.rewardKlWeight()))
            .toArray(double[][]::new);
    boolean[] masked = ScoredTrajectory.masked(step);
    Estimate estimate =
        ofTurns
            .map(
                bi ->
                    bi.of(
                        rewards,
                        values,
                        step.stream().map(ScoredTrajectory::turnEnds).toArray(int[][]::new),
                        masked))
            .orElseGet(
                () ->
                    ofTokens.of(
                        rewards,
                        values,
                        step.stream().map(CriticAdvantage::observed).toArray(int[][]::new),
                        masked));
    metrics.put("value", mean(values));
    metrics.put("explained_variance", explained(values, estimate.targets()));
    metrics.put("value_loss", critic.learn(step, values, estimate.targets()));
    metrics.values().removeIf(each -> !Double.isFinite(each));
    return Advantage.eachToken(estimate.advantages());
  }

  /** How many tokens the environment wrote behind each of the agent's. */
  private static int[] observed(ScoredTrajectory scored) {
    int[] observed = new int[scored.old().length];
    int token = -1;
    for (Sequence sequence : scored.trajectory().sequences()) {
      for (int place = 0; place < sequence.tokens().length; place++) {
        if (sequence.agent().get(place)) {
          token++;
        } else if (token >= 0) {
          observed[token]++;
        }
      }
    }
    if (token >= 0) {
      observed[token] = 0;
    }
    return observed;
  }

  private static double mean(double[][] rows) {
    return Arrays.stream(rows).flatMapToDouble(Arrays::stream).average().orElse(Double.NaN);
  }

  /** 1 − var(target − V) / var(target): 1 for a perfect critic, 0 for a constant. */
  private static double explained(double[][] values, double[][] targets) {
    double[] v = Arrays.stream(values).flatMapToDouble(Arrays::stream).toArray();
    double[] target = Arrays.stream(targets).flatMapToDouble(Arrays::stream).toArray();
    double[] rest = new double[v.length];
    Arrays.setAll(rest, t -> target[t] - v[t]);
    return 1 - Moments.of(rest).squares() / Moments.of(target).squares();
  }

  @Override
  public Map<String, Double> metrics() {
    return Map.copyOf(metrics);
  }
}
