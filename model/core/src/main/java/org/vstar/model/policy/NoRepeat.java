package org.vstar.model.policy;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Keeps an answer from saying the same run of tokens twice, which policies do without end where
 * they have lost their place. As {@code no_repeat_ngram_size} of Hugging Face's {@code generate},
 * but within one answer: what an observation says, and what an earlier answer said, can be said
 * again.
 */
public final class NoRepeat {

  private final int run;
  private final BitSet vocabulary = new BitSet();

  /**
   * For the answers of a policy.
   *
   * @param run how many tokens, at least 2, must not come twice in the same order
   * @param vocabulary how many tokens the policy chooses from
   */
  public NoRepeat(int run, int vocabulary) {
    this.run = run;
    this.vocabulary.set(0, vocabulary);
  }

  /**
   * What can come next.
   *
   * @param tokens holds the answer so far
   * @param from where the answer begins
   * @param to where it ends, exclusive
   * @param legal what else it is chosen from; null for the whole vocabulary
   * @return without the tokens that would end a run that the answer has; all that is legal, if
   *     nothing else is left. Must not be changed.
   */
  public BitSet allowed(int[] tokens, int from, int to, BitSet legal) {
    BitSet all = legal == null ? vocabulary : legal;
    int last = to - run + 1;
    BitSet fresh = null;
    for (int start = from; start < last; start++) {
      if (Arrays.equals(tokens, start, start + run - 1, tokens, last, to)) {
        fresh = fresh == null ? (BitSet) all.clone() : fresh;
        fresh.clear(tokens[start + run - 1]);
      }
    }
    return fresh == null || fresh.isEmpty() ? all : fresh;
  }
}
