package org.vstar.spark.warmstart;

import java.util.Map;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.model.train.Imitation;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.WarmStartConfig;

/** Imitation on the driver, with the policy's engine. */
final class DriverImitation implements Learner {

  private final RunConfig config;
  private final Lesson lesson;
  private final Policy policy;
  private final Imitation imitation;

  /**
   * Prepares to train.
   *
   * @param policy what is trained, in place
   */
  DriverImitation(RunConfig config, Lesson lesson, Policy policy) {
    WarmStartConfig warm = config.warmStart();
    this.config = config;
    this.lesson = lesson;
    this.policy = policy;
    this.imitation =
        new Imitation(policy, warm.optimizer(), warm.rounds() * warm.batchesPerRound());
  }

  @Override
  public double round(int number) {
    WarmStartConfig warm = config.warmStart();
    double loss = 0;
    for (int i = 0; i < warm.batchesPerRound(); i++) {
      loss += imitation.step(lesson.batch(Lesson.seed(config, number, i), warm.batch()));
    }
    return loss / warm.batchesPerRound();
  }

  @Override
  public Policy policy() {
    return policy;
  }

  @Override
  public Checkpoint checkpoint(Map<String, String> settings) {
    return imitation.checkpoint(settings);
  }

  @Override
  public void restore(Checkpoint checkpoint) {
    imitation.restore(checkpoint);
  }

  @Override
  public void close() {
    imitation.close();
  }
}
