package org.vstar.model.engine;

import java.util.List;
import org.vstar.common.Experimental;

/**
 * Log-probabilities of the agent's tokens, and the gradient of any function of them. Micro-batches
 * and threads are its own affair: a batch is a whole step's.
 */
@Experimental
public interface Scorer extends AutoCloseable {

  /** The gradient of a loss by the log-probabilities of one sequence. */
  @FunctionalInterface
  interface LossGradient {

    /**
     * Differentiates. Called once for each sequence at most, in any order, maybe by several
     * threads.
     *
     * @param sequence its index in the batch
     * @param logPi ln π of its agent tokens, in order
     * @return d loss / d ln π of each of them
     */
    float[] of(int sequence, float[] logPi);

    /**
     * Whether the gradient is 0 whatever the log-probabilities are. A scorer may leave such a
     * sequence out, without a call of {@link #of}; the sum has the same bits.
     */
    default boolean isZero(int sequence) {
      return false;
    }
  }

  /**
   * Scores a batch.
   *
   * @return for each sequence ln π of its agent tokens, in order
   */
  float[][] logProbabilities(List<Sequence> batch);

  /**
   * Scores a batch and adds the gradient of a loss by the parameters. The forward pass is the same
   * as that of {@link #logProbabilities}.
   */
  void addGradient(List<Sequence> batch, LossGradient loss, Gradient into);

  @Override
  void close();
}
