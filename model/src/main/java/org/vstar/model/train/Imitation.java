package org.vstar.model.train;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;

/**
 * Supervised fine-tuning on one machine: the loss of a batch is the mean of −ln π over the tokens
 * that its agents wrote.
 */
public final class Imitation implements AutoCloseable {

  private final Policy policy;
  private final OptimizerConfig config;
  private final int steps;
  private final Scorer scorer;
  private final Gradient gradient;
  private final Optimizer optimizer;
  private int step;

  /**
   * Prepares to train.
   *
   * @param policy what is trained, in place
   * @param steps how many there will be; the learning rate's schedule depends on it
   */
  public Imitation(Policy policy, OptimizerConfig config, int steps) {
    this.policy = policy;
    this.config = config;
    this.steps = steps;
    this.scorer = policy.engine().scorer(1);
    this.gradient = policy.engine().gradient();
    this.optimizer = policy.engine().optimizer(config);
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

  /**
   * Where it is now, to be saved before it goes on.
   *
   * @param settings all that its numbers depend on, by name
   */
  public Checkpoint checkpoint(Map<String, String> settings) {
    return new Checkpoint(
        policy, optimizer.moments(), Checkpoint.State.ofImitation(step, steps, settings));
  }

  /**
   * Goes on from a checkpoint. It must have been made with the checkpoint's policy.
   *
   * @throws InvalidInputException if a moment is missing or has another shape
   */
  public void restore(Checkpoint checkpoint) {
    optimizer.restore(checkpoint.state().optimizerSteps(), checkpoint.moments());
    step = checkpoint.state().step();
  }

  /** Frees what it holds on the engine's device; the policy stays open. */
  @Override
  public void close() {
    scorer.close();
    gradient.close();
    optimizer.close();
  }
}
