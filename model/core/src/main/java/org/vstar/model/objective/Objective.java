package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ConfigFile;
import org.vstar.common.Experimental;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;

/**
 * What training minimises: the mean of a loss over a step's trajectories. An objective is a record
 * that is read from a section of a config's {@code objectives}; its {@code kind} says which.
 */
@Experimental
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = ConfigFile.KIND)
public interface Objective {

  /**
   * Log-probabilities of the agent's tokens of one trajectory, in order; all are of one length,
   * which may be 0.
   *
   * @param pi of the policy that is trained, as it is now
   * @param old of the policy as it was before the step's first update
   * @param ref of the reference policy; where the objective does not read it, what {@code old} is
   * @param sampled what they were sampled with; it differs from {@code old} where an engine scores
   *     otherwise than it samples, or the data are of another policy
   */
  record LogProbs(float[] pi, float[] old, float[] ref, float[] sampled) {
    /** How many tokens. */
    public int length() {
      return pi.length;
    }
  }

  /**
   * A loss with its gradient.
   *
   * @param value the trajectory's loss
   * @param advantage what weighed it, after whatever the objective adds or clips
   * @param logProbGradient d value / d ln π of each token
   * @param clipped tokens whose ratio is clipped
   * @param dualClipped tokens whose loss is clipped from above
   */
  record Loss(
      double value, double advantage, float[] logProbGradient, int clipped, int dualClipped) {

    /** One that clips nothing. */
    public Loss(double value, double advantage, float[] logProbGradient) {
      this(value, advantage, logProbGradient, 0, 0);
    }
  }

  /** The method's name, as reports write it before the name of the config's section. */
  String method();

  /**
   * What weighs trajectories.
   *
   * @param baselines what is known of every train task
   */
  AdvantageEstimator advantages(Baselines baselines);

  /** How losses of trajectories become one of a step. */
  default Aggregation lossAggregation() {
    return Aggregation.ofTrajectories(Aggregation.Denominator.ALL);
  }

  /** Whether advantages need baselines, which a V* job has measured. */
  default boolean readsBaselines() {
    return true;
  }

  /** Whether it looks at the reference policy's log-probabilities, which cost a pass. */
  default boolean readsReference() {
    return true;
  }

  /** Whether the loss of this advantage has no gradient, whatever the log-probabilities. */
  default boolean isFlat(Advantage advantage) {
    return false;
  }

  /** Which trajectories are masked for what they were sampled with. */
  default boolean rejects(float[] old, float[] sampled) {
    return false;
  }

  /** The loss of one trajectory. Called by several threads. */
  Loss loss(LogProbs logProbs, Advantage advantage);

  /** What a training run's fingerprint is taken of: all settings. */
  CanonicalJson canonical();
}
