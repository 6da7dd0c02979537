package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Optional;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ConfigFile;
import org.vstar.common.Experimental;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;

/**
 * The loss that training minimises, over a step's trajectories. An objective is a record that is
 * read from a section of a config's {@code objectives}; its {@code kind} says which.
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
   * @param approxKl Σ ln π_old/π over the tokens: how far the policy is from the step's first
   */
  record Loss(
      double value,
      double advantage,
      float[] logProbGradient,
      int clipped,
      int dualClipped,
      double approxKl) {

    /** One that clips nothing, of a step of one update. */
    public Loss(double value, double advantage, float[] logProbGradient) {
      this(value, advantage, logProbGradient, 0, 0, 0);
    }

    /** One that clips nothing. */
    public static Loss unclipped(
        double value, double advantage, float[] logProbGradient, LogProbs p) {
      double moved = 0;
      for (int t = 0; t < p.length(); t++) {
        moved += (double) p.old()[t] - p.pi()[t];
      }
      return new Loss(value, advantage, logProbGradient, 0, 0, moved);
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

  /** The β₁ that V* has to be measured with; none where any will do. */
  default Optional<Double> beta1() {
    return Optional.empty();
  }

  /** The critic that advantages are held against; none for most. */
  default Optional<CriticConfig> criticConfig() {
    return Optional.empty();
  }

  /** How losses of trajectories become one of a step. */
  default Aggregation lossAggregation() {
    return Aggregation.ofTrajectories(Aggregation.Denominator.ALL);
  }

  /** Whether advantages need baselines, which a V* job has measured. */
  default boolean readsBaselines() {
    return true;
  }

  /**
   * Whether what returns are held against is the reference policy's mean, whatever the config says.
   */
  default boolean readsMeans() {
    return false;
  }

  /** Whether it looks at the reference policy's log-probabilities, which cost a pass. */
  default boolean readsReference() {
    return true;
  }

  /** Whether its estimator knows {@link AdvantageEstimator#priorities} of tasks. */
  default boolean tracksTasks() {
    return false;
  }

  /** Whether the loss of this advantage has no gradient, whatever the log-probabilities. */
  default boolean isFlat(Advantage advantage) {
    return false;
  }

  /**
   * Whether the loss is right for trajectories of another policy than the one that is trained: only
   * such an objective trains on stored samples.
   */
  default boolean offPolicy() {
    return false;
  }

  /** Whether trajectories that did not succeed have no loss, so that stored ones are not read. */
  default boolean readsSuccessesOnly() {
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
