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
 */
public record Sequence(int[] tokens, BitSet agent, List<BitSet> allowed) implements Serializable {

  /** How many tokens the agent produced. */
  public int agentTokens() {
    return agent.cardinality();
  }
}
