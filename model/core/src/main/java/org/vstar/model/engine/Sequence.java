package org.vstar.model.engine;

import java.io.Serializable;
import java.util.BitSet;
import java.util.List;

/**
 * The tokens of one episode, as they were sampled.
 *
 * @param tokens observations and answers, in order
 * @param agent which tokens the agent produced; only these are scored and trained on
 * @param allowed for each agent token in order the tokens it was chosen from, or an empty list if
 *     it was always the whole vocabulary
 * @param targets for each agent token in order the token that is scored in its place; null where
 *     the agent tokens themselves are
 */
public record Sequence(int[] tokens, BitSet agent, List<BitSet> allowed, int[] targets)
    implements Serializable {

  /** One whose agent tokens are scored. */
  public Sequence(int[] tokens, BitSet agent, List<BitSet> allowed) {
    this(tokens, agent, allowed, null);
  }

  /**
   * What is scored at an agent token.
   *
   * @param place of the token in the sequence
   * @param agentToken how many agent tokens come before it
   */
  public int target(int place, int agentToken) {
    return targets == null ? tokens[place] : targets[agentToken];
  }

  /** How many tokens the agent produced. */
  public int agentTokens() {
    return agent.cardinality();
  }
}
