package org.vstar.model.train;

import java.util.ArrayList;
import java.util.List;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.PolicyScorer;
import org.vstar.model.advantage.ScoredTrajectory;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.Scorer;
import org.vstar.model.objective.Objective;
import org.vstar.model.rollout.Trajectory;

/**
 * What a step does with its trajectories: scores them, and takes the optimizer's steps. One an
 * epoch and minibatch; a minibatch is a run of whole groups.
 */
final class PolicyUpdate implements AutoCloseable {

  private final Engine policy;
  private final Objective objective;
  private final TrainConfig config;
  private final Scorer scorer;
  private final Gradient gradient;
  private final Optimizer optimizer;
  private Scorer referenceScorer;

  /** Whether the policy is the reference still, so that what is scored by one is so by both. */
  private boolean unchanged;

  PolicyUpdate(Engine policy, Objective objective, TrainConfig config, double temperature) {
    this.policy = policy;
    this.objective = objective;
    this.config = config;
    this.scorer = policy.scorer(temperature);
    this.gradient = policy.gradient();
    this.optimizer = policy.optimizer(config.optimizer());
  }

  /** Takes another reference policy. */
  void against(Engine reference, double temperature) {
    if (referenceScorer != null) {
      referenceScorer.close();
    }
    referenceScorer = reference.scorer(temperature);
    unchanged = same(policy, reference);
  }

  private static boolean same(Engine policy, Engine reference) {
    return policy.adapter().isPresent() && reference.adapter().isEmpty()
        ? policy.base().orElseThrow() == reference && policy.adapter().orElseThrow().isZero()
        : policy.fingerprint().equals(reference.fingerprint());
  }

  Optimizer optimizer() {
    return optimizer;
  }

  /** Scores under the policy as it is now. */
  PolicyScorer scores() {
    return trajectories -> new TrajectoryBatch(trajectories).logProbabilities(scorer);
  }

  private static float[][] sampled(List<Trajectory> trajectories) {
    return trajectories.stream().map(Trajectory::logProbabilities).toArray(float[][]::new);
  }

  /** What is known of trajectories before the first update. */
  List<ScoredTrajectory> score(List<Trajectory> trajectories) {
    TrajectoryBatch batch = TrajectoryBatch.of(trajectories);
    // What sampling kept, where the engine promises that the scorer gives the same.
    float[][] old =
        policy.logProbTolerance() == 0 ? sampled(trajectories) : batch.logProbabilities(scorer);
    boolean same = unchanged || !objective.readsReference();
    float[][] ref = same ? old : batch.logProbabilities(referenceScorer);
    List<ScoredTrajectory> scored = new ArrayList<>();
    for (int i = 0; i < old.length; i++) {
      Trajectory own = trajectories.get(i);
      scored.add(new ScoredTrajectory(own, old[i], ref[i], isMasked(own, old[i])));
    }
    return scored;
  }

  /**
   * What is known of the reference policy's trajectories before the first update, whatever the
   * policy has become: the old policy is the one that sampled, and nothing is masked for being far
   * from it.
   */
  List<ScoredTrajectory> scoreStored(List<Trajectory> trajectories) {
    TrajectoryBatch batch = TrajectoryBatch.of(trajectories);
    float[][] old = sampled(trajectories);
    boolean same = policy.logProbTolerance() == 0 || !objective.readsReference();
    float[][] ref = same ? old : batch.logProbabilities(referenceScorer);
    List<ScoredTrajectory> scored = new ArrayList<>();
    for (int i = 0; i < old.length; i++) {
      scored.add(new ScoredTrajectory(trajectories.get(i), old[i], ref[i], false));
    }
    return scored;
  }

  /** Whether it was sampled with probabilities too far from those that are scored. */
  private boolean isMasked(Trajectory trajectory, float[] scored) {
    float[] sampled = trajectory.logProbabilities();
    double most = Math.log(config.limits().maxSampleRatio());
    double sum = 0;
    for (int t = 0; t < sampled.length; t++) {
      sum += scored[t] - sampled[t];
    }
    return Math.abs(sum) > most * sampled.length || objective.rejects(scored, sampled);
  }

  /**
   * The losses of a step's updates; none if there is nothing to learn from.
   *
   * @param minibatches how many updates a pass over the trajectories has
   */
  record Losses(List<StepLoss> each, int minibatches) {

    /** Those of the first pass. */
    List<StepLoss> firstPass() {
      return each.subList(0, Math.min(minibatches, each.size()));
    }

    boolean finite() {
      return !each.isEmpty() && each.get(each.size() - 1).finite();
    }
  }

  /**
   * Takes the optimizer's steps, until one is not finite.
   *
   * @param group rollouts of a task
   */
  Losses update(List<ScoredTrajectory> scored, List<Advantage> advantages, int group, double rate) {
    List<StepLoss> losses = new ArrayList<>();
    int groups = scored.size() / group;
    int parts = Math.min(config.batch().minibatches(), groups);
    for (int i = 0; i < config.batch().epochs() * parts; i++) {
      int from = groups * (i % parts) / parts * group;
      int to = groups * (i % parts + 1) / parts * group;
      StepLoss loss =
          new StepLoss(objective, scored.subList(from, to), advantages.subList(from, to));
      losses.add(loss);
      step(scored.subList(from, to), loss, rate);
      if (!loss.finite()) {
        break;
      }
    }
    return new Losses(losses, parts);
  }

  private void step(List<ScoredTrajectory> scored, StepLoss loss, double rate) {
    gradient.clear();
    TrajectoryBatch.of(scored.stream().map(ScoredTrajectory::trajectory).toList())
        .addGradient(scorer, loss, gradient);
    loss.norm(gradient.norm());
    if (!loss.finite()) {
      return;
    }
    if (loss.norm() > config.optimizer().clipNorm()) {
      gradient.scale(config.optimizer().clipNorm() / loss.norm());
    }
    optimizer.step(gradient, rate);
    unchanged = false;
  }

  @Override
  public void close() {
    scorer.close();
    referenceScorer.close();
    gradient.close();
    optimizer.close();
  }
}
