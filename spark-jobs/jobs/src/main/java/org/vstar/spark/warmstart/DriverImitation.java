package org.vstar.spark.warmstart;

import java.util.Map;
import org.vstar.model.imitation.FineTuning;
import org.vstar.model.imitation.Imitation;
import org.vstar.model.imitation.ImitationConfig;
import org.vstar.model.imitation.Minibatches;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.spark.console.Console;

/** One policy trains on the driver, in place. */
final class DriverImitation implements Imitation {

  private final Policy policy;
  private final ImitationConfig config;
  private final Minibatches minibatches;
  private final FineTuning training;

  /** Begins with the first round here: a checkpoint may have been restored before it. */
  private BatchProgress progress;

  DriverImitation(Policy policy, ImitationConfig config, Minibatches minibatches) {
    this.policy = policy;
    this.config = config;
    this.minibatches = minibatches;
    this.training = new FineTuning(policy.engine(), config.optimizer(), config.steps());
  }

  @Override
  public double round(int number) {
    if (progress == null) {
      progress =
          new BatchProgress(config.steps() - training.steps(), Console.err(), System::nanoTime);
    }
    double loss = 0;
    for (int i = 0; i < config.batchesPerRound(); i++) {
      double own = training.step(minibatches.minibatch(number, i));
      progress.taken(own);
      loss += own;
    }
    return loss / config.batchesPerRound();
  }

  @Override
  public Policy policy() {
    return policy;
  }

  @Override
  public Checkpoint checkpoint(Map<String, String> settings) {
    return new Checkpoint(
        policy,
        training.moments(),
        Checkpoint.State.ofImitation(training.steps(), config.steps(), settings));
  }

  @Override
  public void restore(Checkpoint checkpoint) {
    training.restore(checkpoint.state().step(), checkpoint.moments());
  }

  @Override
  public void close() {
    training.close();
  }
}
