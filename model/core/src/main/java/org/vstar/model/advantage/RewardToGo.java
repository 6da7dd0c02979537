package org.vstar.model.advantage;

import java.util.Arrays;
import java.util.List;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;

/**
 * REINFORCE++ (arXiv 2501.03262): of each token the discounted rewards from there on, whitened over
 * all tokens of the step.
 *
 * <pre>R_t = r_t' + γ R_{t+1},   r_t' = r_t − klWeight ln π/π_ref</pre>
 *
 * <p>What the environment writes between two answers is no step: nothing is discounted for it.
 *
 * @param gamma γ, 0 to 1
 * @param rewardKlWeight klWeight of the rewards, 0 or more
 * @param whiten how the advantages are whitened; null, which no config says, for R_t as it is
 */
@Group
public record RewardToGo(
    @Default("1.0") double gamma,
    @Default("0.0") double rewardKlWeight,
    @Default("{}") Whitening whiten)
    implements AdvantageEstimator {

  /** Checks the ranges. */
  public RewardToGo {
    InvalidInputException.requireProbability("gamma", gamma);
    InvalidInputException.require(
        rewardKlWeight >= 0, "rewardKlWeight", rewardKlWeight, "0 or more");
  }

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    double[][] rewards =
        step.stream().map(s -> s.tokenRewards(rewardKlWeight)).toArray(double[][]::new);
    return Advantage.eachToken(of(rewards, ScoredTrajectory.masked(step)));
  }

  /** The advantage of each token. */
  double[][] of(double[][] rewards, boolean[] masked) {
    double[][] returns = Arrays.stream(rewards).map(this::returns).toArray(double[][]::new);
    return whiten == null ? returns : whiten.of(returns, masked);
  }

  /** R_t of each token. */
  double[] returns(double[] rewards) {
    double[] returns = new double[rewards.length];
    double next = 0;
    for (int t = rewards.length - 1; t >= 0; t--) {
      next = rewards[t] + gamma * next;
      returns[t] = next;
    }
    return returns;
  }

  /** For fingerprints. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("reward-to-go", 1)
        .with("gamma", gamma)
        .with("rewardKlWeight", rewardKlWeight)
        .with("whiten", whiten == null ? null : whiten.canonical());
  }
}
