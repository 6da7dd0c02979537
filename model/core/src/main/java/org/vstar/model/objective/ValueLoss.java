package org.vstar.model.objective;

import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * What a critic minimises: half the squared distance of its values from their targets, the larger
 * of that and of a value that moved no further than the clip from what it was (PPO2).
 *
 * <pre>l_t = max((V − target)², (clip(V, V_old ± valueClip) − target)²) / 2</pre>
 *
 * @param valueClip above 0; absent for none (verl: 0.5)
 * @param valueAggregation which means are taken: those of {@code aggregation}
 * @param valueMaxLength L of the aggregations that divide by a constant, in tokens
 */
@Group
public record ValueLoss(
    @OptionalKey Double valueClip,
    @Default("token-mean") Aggregation.Mode valueAggregation,
    @Default("1024") int valueMaxLength) {

  /** Checks the range. */
  public ValueLoss {
    InvalidInputException.require(
        valueClip == null || valueClip > 0, "valueClip", valueClip, "more than 0");
  }

  /**
   * The loss of a trajectory.
   *
   * @param value before the trajectories are averaged
   * @param gradient d value / d V of each token
   * @param clipped tokens where the clip holds
   */
  public record Loss(double value, double[] gradient, int clipped) {}

  /** How losses of trajectories become one of a step. */
  public Aggregation aggregation() {
    return new Aggregation(valueAggregation, Aggregation.Denominator.KEPT, valueMaxLength);
  }

  /** The loss of a trajectory's values, which were {@code old} before the first update. */
  public Loss of(double[] values, double[] old, double[] targets) {
    double scale = aggregation().scale(values.length);
    double sum = 0;
    int clips = 0;
    double[] gradient = new double[values.length];
    for (int t = 0; t < values.length; t++) {
      double plain = values[t] - targets[t];
      double moved = values[t] - old[t];
      boolean beyond = valueClip != null && Math.abs(moved) > valueClip;
      double clip = beyond ? old[t] + Math.copySign(valueClip, moved) - targets[t] : plain;
      boolean clipped = clip * clip > plain * plain;
      double error = clipped ? clip : plain;
      sum += error * error / 2;
      gradient[t] = clipped ? 0 : scale * plain;
      clips += clipped ? 1 : 0;
    }
    return new Loss(scale * sum, gradient, clips);
  }
}
