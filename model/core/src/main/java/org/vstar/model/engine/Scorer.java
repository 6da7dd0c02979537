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
     * Differentiates. Called once for each sequence, in any order, maybe by several threads.
     *
     * @param sequence its index in the batch
     * @param logPi ln π of its agent tokens, in order
     * @return d loss / d ln π of each of them
     */
    float[] of(int sequence, float[] logPi);
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
