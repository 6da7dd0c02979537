package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Map;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ConfigFile;
import org.vstar.common.Experimental;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;

/**
 * What training minimises: the mean of a loss over a step's trajectories. An objective is a record
 * that is read from a section of a config's {@code objectives}; its {@code kind} says which.
 */
@Experimental
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = ConfigFile.KIND)
public interface Objective {

  /**
   * Log-probabilities of the agent's tokens of one trajectory, in order; all three are of one
   * length, which may be 0.
   *
   * @param pi of the policy that is trained, as it is now
   * @param old of the policy as it was when it sampled them
   * @param ref of the reference policy
   */
  record LogProbs(float[] pi, float[] old, float[] ref) {
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
   */
  record Loss(double value, double advantage, float[] logProbGradient) {}

  /** The method's name, as reports write it before the name of the config's section. */
  String method();

  /**
   * What weighs trajectories.
   *
   * @param vStar V* by task id, for every train task; or what {@code train.baseline} has instead
   */
  AdvantageEstimator advantages(Map<String, Double> vStar);

  /** How many steps the optimizer takes on one step's trajectories. */
  default int epochs() {
    return 1;
  }

  /** The loss of one trajectory. Called by several threads. */
  Loss loss(LogProbs logProbs, Advantage advantage);

  /** What a training run's fingerprint is taken of: all settings. */
  CanonicalJson canonical();
}
