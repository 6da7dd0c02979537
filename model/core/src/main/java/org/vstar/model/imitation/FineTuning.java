package org.vstar.model.imitation;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource;

/**
 * Supervised fine-tuning of one model on one machine: the loss of a batch is the mean of −ln π over
 * the tokens that its agents wrote.
 */
public final class FineTuning implements AutoCloseable {

  private final OptimizerConfig config;
  private final int steps;
  private final Scorer scorer;
  private final Gradient gradient;
  private final Optimizer optimizer;
  private int step;

  /**
   * Prepares to train.
   *
   * @param engine whose parameters are trained, in place
   * @param steps how many there will be; the learning rate's schedule depends on it
   */
  public FineTuning(Engine engine, OptimizerConfig config, int steps) {
    this.config = config;
    this.steps = steps;
    this.scorer = engine.scorer(1);
    this.gradient = engine.gradient();
    this.optimizer = engine.optimizer(config);
  }

  /**
   * Takes a step for each minibatch of a round.
   *
   * @param round from 0
   * @param first number of the first minibatch
   * @param count how many there are, at least 1
   * @return the mean loss
   * @throws InvalidInputException if a loss or its gradient is not finite
   */
  public double round(Minibatches minibatches, int round, int first, int count) {
    double loss = 0;
    for (int i = 0; i < count; i++) {
      loss += step(minibatches.minibatch(round, first + i));
    }
    return loss / count;
  }

  /**
   * Takes a step.
   *
   * @param demonstrations token sequences; what an agent wrote in them is imitated, which is at
   *     least one token
   * @return the loss before the step
   * @throws InvalidInputException if the loss or its gradient is not finite
   */
  public double step(List<Sequence> demonstrations) {
    int tokens = demonstrations.stream().mapToInt(Sequence::agentTokens).sum();
    double[] sums = new double[demonstrations.size()];
    gradient.clear();
    scorer.addGradient(
        demonstrations,
        (i, logPi) -> {
          float[] ofMean = new float[logPi.length];
          Arrays.fill(ofMean, -1f / tokens);
          for (float p : logPi) {
            sums[i] -= p;
          }
          return ofMean;
        },
        gradient);
    double loss = Arrays.stream(sums).sum() / tokens;
    double norm = gradient.norm();
    if (!Double.isFinite(loss) || !Double.isFinite(norm)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "warm start: the loss of step %d is %s and its gradient's norm %s: lower"
                  + " warmStart.optimizer.learningRate",
              step + 1,
              loss,
              norm));
    }
    if (norm > config.clipNorm()) {
      gradient.scale(config.clipNorm() / norm);
    }
    optimizer.step(gradient, config.rate(step, steps));
    step++;
    return loss;
  }

  /** Steps taken. */
  public int steps() {
    return step;
  }

  /** The optimizer's moments, as they are now. */
  public TensorSource moments() {
    return optimizer.moments();
  }

  /**
   * Restores an earlier state. The engine must have the parameters of that state.
   *
   * @param taken steps taken
   * @throws InvalidInputException if a moment is missing or has another shape
   */
  public void restore(int taken, TensorSource moments) {
    optimizer.restore(taken, moments);
    step = taken;
  }

  /** Frees what it holds on the engine's device; the engine stays open. */
  @Override
  public void close() {
    scorer.close();
    gradient.close();
    optimizer.close();
  }
}
