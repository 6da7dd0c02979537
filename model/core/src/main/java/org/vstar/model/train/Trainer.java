package org.vstar.model.train;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.Critic;
import org.vstar.model.advantage.GroupFilter;
import org.vstar.model.advantage.ScoredTrajectory;
import org.vstar.model.engine.Engine;
import org.vstar.model.objective.CriticConfig;
import org.vstar.model.objective.Objective;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.RetryPolicy;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.rollout.Trajectory;

/**
 * The loop of stage 2 of A*-PO: roll the current policy out on some tasks, or take stored samples
 * of the reference policy, score, weigh, step.
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
  private final PolicyUpdate update;
  private Optional<EngineCritic> critic;

  // What is measured against. A refresh replaces it.
  private Map<String, Double> vStar;
  private Baselines baselines;
  private TaskDraw draw;
  private AdvantageEstimator estimator;

  private int step;
  private long cursor;
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
    this.environment = environment;
    this.policy = policy;
    this.sampling = sampling;
    this.config = config;
    this.objective = objective;
    this.seed = seed;
    this.update = new PolicyUpdate(policy.engine(), objective, config, sampling.temperature());
    this.critic = objective.criticConfig().map(own -> critic(policy.engine().copy(), own));
    measureAgainst(reference, values);
  }

  /** The tasks that train, of those that have a value. */
  public static List<Task> tasks(
      Environment environment, Map<String, TaskValue> values, TrainConfig config, long seed) {
    return draw(environment, values, config, seed).tasks();
  }

  private static TaskDraw draw(
      Environment environment, Map<String, TaskValue> values, TrainConfig config, long seed) {
    List<Task> tasks =
        environment.tasks(Split.TRAIN).stream()
            .filter(task -> values.containsKey(task.id()))
            .toList();
    if (tasks.isEmpty()) {
      throw new InvalidInputException("no train task has a V*: run the V* job first");
    }
    return new TaskDraw(
        TaskDraw.Order.of(config.selection().tasks()),
        config.selection().keep(),
        tasks,
        values,
        seed);
  }

  private void measureAgainst(Policy reference, Map<String, TaskValue> values) {
    draw = draw(environment, values, config, seed);
    vStar = new HashMap<>();
    values.forEach((task, value) -> vStar.put(task, value.vStar()));
    Baseline baseline = Baseline.of(config.target().baseline());
    Map<String, Double> against = new HashMap<>();
    Map<String, Double> means = new HashMap<>();
    values.forEach(
        (task, value) -> {
          against.put(task, baseline.of(value));
          means.put(task, value.mean());
        });
    baselines = new Baselines(against, means, critic.map(Critic.class::cast), update.scores());
    Optional<byte[]> learned = Optional.ofNullable(estimator).flatMap(AdvantageEstimator::state);
    estimator = objective.advantages(baselines);
    learned.ifPresent(estimator::restore);
    update.against(reference.engine(), sampling.temperature());
  }

  private EngineCritic critic(Engine engine, CriticConfig own) {
    return new EngineCritic(engine, own, config.optimizer());
  }

  /**
   * Goes on with another reference policy and what the tasks are worth under it. The policy that is
   * trained and its optimizer stay as they are.
   *
   * @param values by task id; train tasks without one are left out
   * @throws InvalidInputException if no train task has a V*
   */
  public void refresh(Policy reference, Map<String, TaskValue> values) {
    measureAgainst(reference, values);
  }

  /** Steps taken so far. */
  public int step() {
    return step;
  }

  /** The tasks that train. */
  public List<Task> tasks() {
    return draw.tasks();
  }

  /** Steps that the run is to have. */
  public int steps() {
    return config.schedule().steps();
  }

  /** How many tasks have been taken. */
  public long cursor() {
    return cursor;
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
        update.optimizer().moments(),
        new Checkpoint.State(step, steps(), update.optimizer().steps(), skipped, cursor, settings),
        critic.map(
            own ->
                new Checkpoint.Learner(
                    new Policy(own.engine(), policy.tokenizer(), policy.chat()),
                    own.optimizer().moments(),
                    own.optimizer().steps())),
        estimator.state());
  }

  /**
   * Goes on from a checkpoint. The trainer must have been made with the checkpoint's policy.
   *
   * @throws InvalidInputException if a moment is missing or has another shape
   */
  public void restore(Checkpoint checkpoint) {
    update.optimizer().restore(checkpoint.state().optimizerSteps(), checkpoint.moments());
    step = checkpoint.state().step();
    cursor = checkpoint.state().taskCursor();
    critic.ifPresent(own -> restore(own, checkpoint.critic().orElseThrow()));
    checkpoint.estimator().ifPresent(estimator::restore);
    skipped = checkpoint.state().skipped();
  }

  private void restore(EngineCritic fresh, Checkpoint.Learner stored) {
    fresh.close();
    EngineCritic own = critic(stored.policy().engine(), objective.criticConfig().orElseThrow());
    own.optimizer().restore(stored.optimizerSteps(), stored.moments());
    critic = Optional.of(own);
    baselines =
        new Baselines(baselines.values(), baselines.means(), Optional.of(own), update.scores());
    estimator = objective.advantages(baselines);
  }

  /**
   * The rollouts of the next tasks.
   *
   * @param before how many the step has had already
   */
  private List<Request> requests(int before) {
    List<Request> requests = new ArrayList<>();
    for (Task task : drawn(config.batch().tasksPerStep())) {
      for (int i = 0; i < estimator.rolloutsPerTask(); i++) {
        long episodeSeed =
            Seeds.derive(seed, "rollout of training", step, before + requests.size());
        requests.add(new Request(task, i, episodeSeed));
      }
    }
    return requests;
  }

  /** The tasks whose turn it is. */
  private List<Task> drawn(int count) {
    return config.selection().isTracked()
        ? draw.tasks(cursor, count, estimator.priorities().orElseThrow())
        : draw.tasks(cursor, count);
  }

  /**
   * The rollouts of a step.
   *
   * @param all that were played
   * @param kept those that the update is made of
   */
  private record Played(List<Trajectory> all, List<Trajectory> kept) {}

  /** Plays a step's tasks; with dynamic sampling others, as long as groups are missing. */
  private Played play(RolloutWorkers workers) {
    List<Trajectory> all = new ArrayList<>();
    List<Trajectory> kept = new ArrayList<>();
    int draws = config.selection().dynamicSampling();
    int wanted = config.batch().tasksPerStep() * estimator.rolloutsPerTask();
    for (int i = 0; i < draws && kept.size() < wanted; i++) {
      List<Trajectory> more = workers.play(policy, step, sampling, requests(all.size()));
      requireOnPolicy(more);
      cursor += config.batch().tasksPerStep();
      all.addAll(more);
      kept.addAll(draws == 1 ? more : GroupFilter.keep(more));
    }
    return new Played(all, kept.subList(0, Math.min(wanted, kept.size())));
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
    Played played = play(workers);
    long sampled = System.nanoTime();
    return learn(played, update.score(played.kept), start, sampled);
  }

  /** Takes stored trajectories of the reference policy, weighs, steps. */
  public StepReport next(StoredTrajectories stored) {
    long start = System.nanoTime();
    List<Trajectory> read = stored.from(cursor, config.batch().tasksPerStep());
    cursor += read.size();
    long sampled = System.nanoTime();
    return learn(new Played(read, read), update.scoreStored(read), start, sampled)
        .ofStoredTrajectories();
  }

  private StepReport learn(Played played, List<ScoredTrajectory> scored, long start, long sampled) {
    double rate = config.optimizer().rate(step, config.schedule().steps());
    List<Advantage> advantages = estimator.estimate(scored);
    boolean alone = step < objective.criticConfig().map(CriticConfig::alone).orElse(0);
    PolicyUpdate.Losses losses =
        alone
            ? new PolicyUpdate.Losses(List.of(), 1)
            : update.update(scored, advantages, estimator.rolloutsPerTask(), rate);
    last = weighed(played.kept, advantages);
    boolean left = !alone && !losses.finite();
    StepReport report = report(played.all, losses, rate, left, start, sampled);
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

  private StepReport report(
      List<Trajectory> played,
      PolicyUpdate.Losses losses,
      double rate,
      boolean left,
      long start,
      long sampled) {
    return new StepReport(
        step,
        StepReport.Rollouts.of(played, vStar, (sampled - start) / 1e9),
        StepReport.Divergence.of(losses, objective.readsReference()),
        StepReport.Update.of(losses, rate, left, (System.nanoTime() - sampled) / 1e9),
        estimator.metrics());
  }

  /** Frees what it holds on the engines' devices; the policies stay open. */
  @Override
  public void close() {
    update.close();
    critic.ifPresent(EngineCritic::close);
  }
}
