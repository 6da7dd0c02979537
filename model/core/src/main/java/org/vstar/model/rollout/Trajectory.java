package org.vstar.model.rollout;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.model.engine.Sequence;

/**
 * All turns of one episode.
 *
 * @param sequences the tokens as they were read and sampled: one sequence, or, where the policy saw
 *     only the last turns, one more for each turn that did not begin on the whole of what came
 *     before
 * @param turnTokens how many tokens the agent wrote in each turn
 * @param stateKeys of the states in which the turns began: {@link org.vstar.env.Episode#stateKey}
 * @param logProbabilities ln π of the agent's tokens when they were sampled, in order
 * @param episodeReturn the sum of the rewards, r(x,y)
 * @param policyVersion how many updates of training the weights had behind them that wrote it; 0
 *     for a policy that is not being trained
 */
public record Trajectory(
    Task task,
    int sampleIndex,
    long seed,
    List<Turn> turns,
    List<Sequence> sequences,
    int[] turnTokens,
    List<String> stateKeys,
    float[] logProbabilities,
    double episodeReturn,
    boolean success,
    StopReason stopReason,
    long durationMillis,
    int policyVersion)
    implements Serializable {

  /** How many tokens the agent wrote. */
  public int agentTokens() {
    return sequences.stream().mapToInt(Sequence::agentTokens).sum();
  }

  /** What the last reward was made of; empty where it has no parts. */
  public Map<String, Double> rewardParts() {
    return turns.isEmpty() ? Map.of() : turns.get(turns.size() - 1).outcome().parts();
  }

  /** ln π(y|x) of the policy that sampled it. */
  public double logProbability() {
    double sum = 0;
    for (float p : logProbabilities) {
      sum += p;
    }
    return sum;
  }
}
