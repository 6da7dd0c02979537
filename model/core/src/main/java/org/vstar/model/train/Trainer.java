package org.vstar.model.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.Scorer;
import org.vstar.model.objective.Objective;
import org.vstar.model.objective.Objective.LogProbs;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.RetryPolicy;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.rollout.Trajectory;

/**
 * The online loop, stage 2 of A*-PO: roll the current policy out on some tasks, score, weigh, step.
 *
 * <p>Everything random is a function of (seed, step), so the step number is the whole random state:
 * a run that goes on from a checkpoint gives the same weights as one that was never stopped.
 */
public final class Trainer implements AutoCloseable {

  /**
   * A trajectory that an update learned from.
   *
   * @param vStar of its task
   * @param advantage what weighed it
   */
  public record Weighed(Trajectory trajectory, double vStar, double advantage) {}

  private final Environment environment;
  private final Policy policy;
  private final SamplingConfig sampling;
  private final TrainConfig config;
  private final Objective objective;
  private final long seed;
  private final Scorer scorer;
  private final Gradient gradient;
  private final Optimizer optimizer;

  // What is measured against. A refresh replaces it.
  private Map<String, Double> vStar;
  private TaskDraw draw;
  private AdvantageEstimator estimator;
  private Scorer referenceScorer;

  /** Whether the policy is the reference still, so that what is scored by one is so by both. */
  private boolean unchanged;

  private int step;
  private int skipped;
  private List<Weighed> last = List.of();

  /**
   * Prepares a run at step 0.
   *
   * @param policy what is trained, in place
   * @param values by task id; train tasks without one are left out
   * @throws InvalidInputException if no train task has a V*, or sampling is not from the policy
   *     itself
   */
  public Trainer(
      Environment environment,
      Policy policy,
      Policy reference,
      SamplingConfig sampling,
      Map<String, TaskValue> values,
      Objective objective,
      TrainConfig config,
      long seed) {
    sampling.requirePolicy("training");
    InvalidInputException.require(
        objective.epochs() > 0, "objectives", objective.epochs() + " epochs", "at least 1");
    this.environment = environment;
    this.policy = policy;
    this.sampling = sampling;
    this.config = config;
    this.objective = objective;
    this.seed = seed;
    measureAgainst(reference, values);
    this.scorer = policy.engine().scorer(sampling.temperature());
    this.gradient = policy.engine().gradient();
    this.optimizer = policy.engine().optimizer(config.optimizer());
  }

  private void measureAgainst(Policy reference, Map<String, TaskValue> values) {
    List<Task> tasks =
        environment.tasks(Split.TRAIN).stream()
            .filter(task -> values.containsKey(task.id()))
            .toList();
    if (tasks.isEmpty()) {
      throw new InvalidInputException("no train task has a V*: run the V* job first");
    }
    draw =
        new TaskDraw(
            TaskDraw.Order.of(config.selection().tasks()),
            config.selection().keep(),
            tasks,
            values,
            seed);
    vStar = new HashMap<>();
    values.forEach((task, value) -> vStar.put(task, value.vStar()));
    Baseline baseline = Baseline.of(config.target().baseline());
    Map<String, Double> baselines = new HashMap<>();
    values.forEach((task, value) -> baselines.put(task, baseline.of(value)));
    estimator = objective.advantages(baselines);
    referenceScorer = reference.engine().scorer(sampling.temperature());
    unchanged = same(policy.engine(), reference.engine());
  }

  private static boolean same(Engine policy, Engine reference) {
    return policy.adapter().isPresent() && reference.adapter().isEmpty()
        ? policy.base().orElseThrow() == reference && policy.adapter().orElseThrow().isZero()
        : policy.fingerprint().equals(reference.fingerprint());
  }

  /**
   * Goes on with another reference policy and what the tasks are worth under it. The policy that is
   * trained and its optimizer stay as they are.
   *
   * @param values by task id; train tasks without one are left out
   * @throws InvalidInputException if no train task has a V*
   */
  public void refresh(Policy reference, Map<String, TaskValue> values) {
    Scorer former = referenceScorer;
    measureAgainst(reference, values);
    former.close();
  }

  /** Steps taken so far. */
  public int step() {
    return step;
  }

  /** Steps that the run is to have. */
  public int steps() {
    return config.schedule().steps();
  }

  /** How many tasks have been taken. */
  public long cursor() {
    return (long) step * config.batch().tasksPerStep();
  }

  /** Updates left out because a loss or gradient was not finite. */
  public int skipped() {
    return skipped;
  }

  /** What the last update learned from; empty before the first. */
  public List<Weighed> trajectories() {
    return last;
  }

  /** The policy as it is now. */
  public Policy policy() {
    return policy;
  }

  /**
   * Where it is now, to be saved before it goes on.
   *
   * @param settings all that the run's numbers depend on, by name
   */
  public Checkpoint checkpoint(Map<String, String> settings) {
    return new Checkpoint(
        policy,
        optimizer.moments(),
        new Checkpoint.State(step, steps(), optimizer.steps(), skipped, cursor(), settings));
  }

  /**
   * Goes on from a checkpoint. The trainer must have been made with the checkpoint's policy.
   *
   * @throws InvalidInputException if a moment is missing or has another shape
   */
  public void restore(Checkpoint checkpoint) {
    optimizer.restore(checkpoint.state().optimizerSteps(), checkpoint.moments());
    step = checkpoint.state().step();
    skipped = checkpoint.state().skipped();
  }

  private List<Request> requests() {
    List<Request> requests = new ArrayList<>();
    for (Task task : draw.tasks(cursor(), config.batch().tasksPerStep())) {
      for (int i = 0; i < estimator.rolloutsPerTask(); i++) {
        long episodeSeed = Seeds.derive(seed, "rollout of training", step, requests.size());
        requests.add(new Request(task, i, episodeSeed));
      }
    }
    return requests;
  }

  /** Rolls out on threads of this process, scores, weighs, steps. */
  public StepReport next() {
    return next(
        RolloutWorkers.here(
            environment,
            config.batch().slots(),
            config.batch().threads(),
            RetryPolicy.ONE_ATTEMPT));
  }

  /** Rolls out, scores, weighs, steps. */
  public StepReport next(RolloutWorkers workers) {
    long start = System.nanoTime();
    List<Trajectory> trajectories = workers.play(policy, step, sampling, requests());
    requireOnPolicy(trajectories);
    long sampled = System.nanoTime();
    double rate = config.optimizer().rate(step, config.schedule().steps());
    List<Advantage> advantages = estimator.estimate(trajectories);
    List<StepLoss> losses = update(trajectories, advantages, rate);
    last = weighed(trajectories, advantages);
    StepReport report = report(trajectories, losses, rate, start, sampled);
    skipped += report.update().skipped() ? 1 : 0;
    step++;
    return report;
  }

  /** The method learns from what the policy does now, not from what it did some updates ago. */
  private void requireOnPolicy(List<Trajectory> trajectories) {
    for (Trajectory trajectory : trajectories) {
      if (trajectory.policyVersion() != step) {
        throw new IllegalStateException(
            String.format(
                Locale.ROOT,
                "a rollout of task %s was played by version %d of the policy, expected %d",
                trajectory.task().id(),
                trajectory.policyVersion(),
                step));
      }
    }
  }

  private List<Weighed> weighed(List<Trajectory> trajectories, List<Advantage> advantages) {
    List<Weighed> weighed = new ArrayList<>();
    for (int i = 0; i < trajectories.size(); i++) {
      Trajectory trajectory = trajectories.get(i);
      double value = vStar.get(trajectory.task().id());
      weighed.add(new Weighed(trajectory, value, advantages.get(i).ofTrajectory()));
    }
    return weighed;
  }

  /** Takes the optimizer's steps, until one is not finite; gives the losses of each. */
  private List<StepLoss> update(
      List<Trajectory> trajectories, List<Advantage> advantages, double rate) {
    TrajectoryBatch batch = new TrajectoryBatch(trajectories);
    float[][] old = sampledLogProbs(batch);
    float[][] ref = unchanged ? old : batch.logProbabilities(referenceScorer);
    boolean[] masked = masked(trajectories, old);
    List<StepLoss> losses = new ArrayList<>();
    for (int epoch = 0; epoch < objective.epochs(); epoch++) {
      StepLoss loss = new StepLoss(trajectories, masked);
      gradient.clear();
      batch.addGradient(
          scorer,
          (i, pi) ->
              loss.take(
                  i,
                  pi,
                  ref[i],
                  objective.loss(new LogProbs(pi, old[i], ref[i]), advantages.get(i))),
          gradient);
      loss.norm = gradient.norm();
      losses.add(loss);
      if (!loss.finite()) {
        break;
      }
      if (loss.norm > config.optimizer().clipNorm()) {
        gradient.scale(config.optimizer().clipNorm() / loss.norm);
      }
      optimizer.step(gradient, rate);
      unchanged = false;
    }
    return losses;
  }

  /** Which trajectories were sampled with probabilities too far from those that are scored. */
  private boolean[] masked(List<Trajectory> trajectories, float[][] scored) {
    boolean[] masked = new boolean[scored.length];
    double most = Math.log(config.limits().maxSampleRatio());
    for (int i = 0; i < scored.length; i++) {
      float[] sampled = trajectories.get(i).logProbabilities();
      double sum = 0;
      for (int t = 0; t < sampled.length; t++) {
        sum += scored[i][t] - sampled[t];
      }
      masked[i] = Math.abs(sum) > most * sampled.length;
    }
    return masked;
  }

  /** What sampling kept, where the engine promises that the scorer gives the same. */
  private float[][] sampledLogProbs(TrajectoryBatch batch) {
    return policy.engine().logProbTolerance() == 0
        ? batch.sampledLogProbabilities()
        : batch.logProbabilities(scorer);
  }

  private StepReport report(
      List<Trajectory> trajectories, List<StepLoss> losses, double rate, long start, long sampled) {
    StepReport.Rollouts rollouts =
        StepReport.Rollouts.of(trajectories, vStar, (sampled - start) / 1e9);
    StepLoss loss = losses.get(0);
    int n = trajectories.size();
    return new StepReport(
        step,
        rollouts,
        new StepReport.Divergence(
            loss.mean(loss.logRatio),
            -loss.mean(loss.logPi) * n / Math.max(1, rollouts.tokens()),
            Arrays.stream(loss.gap).max().orElse(0)),
        new StepReport.Update(
            loss.mean(loss.value),
            loss.mean(loss.advantage),
            loss.countMasked(),
            loss.norm,
            rate,
            !losses.get(losses.size() - 1).finite(),
            (System.nanoTime() - sampled) / 1e9));
  }

  /** Frees what it holds on the engines' devices; the policies stay open. */
  @Override
  public void close() {
    scorer.close();
    referenceScorer.close();
    gradient.close();
    optimizer.close();
  }
}
