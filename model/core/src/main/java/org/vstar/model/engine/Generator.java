package org.vstar.model.engine;

import java.util.BitSet;
import java.util.List;
import org.vstar.common.Experimental;

/**
 * Grows many sequences at once, one in each slot, and draws what comes next. The host draws the
 * random numbers, so that a sequence depends on its seed alone, whatever the device and whatever
 * grows beside it.
 */
@Experimental
public interface Generator extends AutoCloseable {

  /** Tokens to append to a slot; at least one. */
  record Extension(int slot, int[] tokens) {}

  /**
   * How to draw the token behind an extension.
   *
   * @param u uniform in [0, 1); not used at temperature 0
   * @param allowed what may be drawn, or null for everything
   * @param temperature what logits are divided by; 0 takes the most likely token
   * @param topP the smallest set of most likely tokens with at least this probability is drawn from
   */
  record Choice(double u, BitSet allowed, double temperature, double topP) {}

  /**
   * A drawn token.
   *
   * @param logProbability ln of its probability under the policy: tempered and restricted to what
   *     was allowed, but before {@code topP}; for temperature 0 that of temperature 1
   */
  record Draw(int token, float logProbability) {}

  /** Empties a slot for another sequence. */
  void reset(int slot);

  /**
   * Appends tokens and draws what follows the last of each extension. The drawn tokens are not
   * appended.
   *
   * @param extensions at most one a slot
   * @param choices one for each extension
   * @return one draw for each extension
   * @throws IllegalArgumentException if a slot would hold more tokens than the model's context
   */
  List<Draw> extend(List<Extension> extensions, List<Choice> choices);

  /**
   * Appends tokens and tells what is most likely behind the last of each extension, at temperature
   * 1. Nothing that it tells is appended.
   *
   * @param extensions at most one a slot
   * @param allowed for each extension what may follow it, or null for everything
   * @param count how many tokens to tell of each
   * @return for each extension the likeliest tokens that are allowed, the likeliest first and of
   *     equals the one with the lower number; fewer than {@code count} where no more are allowed
   * @throws IllegalArgumentException if a slot would hold more tokens than the model's context
   */
  default List<List<Draw>> continuations(
      List<Extension> extensions, List<BitSet> allowed, int count) {
    throw new UnsupportedOperationException("this engine cannot search beams");
  }

  /** Puts what a slot holds into another, in place of what that held. */
  default void copy(int from, int to) {
    throw new UnsupportedOperationException("this engine cannot search beams");
  }

  @Override
  void close();
}
