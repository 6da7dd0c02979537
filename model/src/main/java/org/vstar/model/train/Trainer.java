package org.vstar.model.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.vstar.env.ContentHash;
import org.vstar.env.Environment;
import org.vstar.env.InputError;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.objective.Objective;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.Sampling;
import org.vstar.model.rollout.Parallel;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Rollouts.Request;
import org.vstar.model.rollout.Trajectory;
import org.vstar.model.transformer.AdamW;
import org.vstar.model.transformer.Scorer;
import org.vstar.model.transformer.Sequence;

/**
 * A*-PO, stage 2: one rollout per task of the current policy, its return against the task's V*, one
 * update.
 *
 * <p>Everything random is a function of (seed, step), so the step number is the whole random state:
 * a run that goes on from a checkpoint gives the same weights as one that was never stopped.
 */
public final class Trainer {

  /**
   * What one step did.
   *
   * @param reward mean return
   * @param vStar mean V* of the step's tasks
   * @param kl mean over trajectories of ln π/π_ref, an estimate of KL(π‖π_ref) per trajectory
   * @param entropy mean of −ln π over the agent's tokens, an estimate of the entropy per token
   * @param gradientNorm before clipping
   * @param skipped whether loss or gradient was not finite, so that no update was made
   */
  public record Step(
      int step,
      double loss,
      double reward,
      double vStar,
      double advantage,
      double success,
      double turns,
      double invalid,
      double kl,
      double entropy,
      double gradientNorm,
      double learningRate,
      int tokens,
      boolean skipped,
      double rolloutSeconds,
      double updateSeconds) {}

  private final Environment environment;
  private final Policy policy;
  private final Policy reference;
  private final Sampling sampling;
  private final Map<String, Double> vStar;
  private final TrainConfig config;
  private final Objective objective;
  private final long seed;
  private final AdamW optimizer;
  private final Queue<Scorers> idle = new ConcurrentLinkedQueue<>();
  private int step;
  private int skipped;

  /**
   * Prepares a run at step 0.
   *
   * @param policy what is trained, in place
   * @param vStar V* by task id, for every train task
   * @throws InputError if a train task has no V*, or sampling is not from the policy itself
   */
  public Trainer(
      Environment environment,
      Policy policy,
      Policy reference,
      Sampling sampling,
      Map<String, Double> vStar,
      TrainConfig config,
      long seed) {
    InputError.require(
        sampling.temperature() > 0,
        "sampling.temperature",
        sampling.temperature(),
        "more than 0 for training: a greedy policy has no density");
    InputError.require(
        sampling.topP() == 1,
        "sampling.topP",
        sampling.topP(),
        "1 for training: a cut distribution is not the policy that is scored");
    for (Task task : environment.tasks(Split.TRAIN)) {
      if (!vStar.containsKey(task.id())) {
        throw new InputError(
            "task "
                + task.id()
                + " ("
                + task.prompt()
                + ") has no V*: run the"
                + " V* job on all train tasks first");
      }
    }
    this.environment = environment;
    this.policy = policy;
    this.reference = reference;
    this.sampling = sampling;
    this.vStar = vStar;
    this.config = config;
    this.objective = config.loss();
    this.seed = seed;
    OptimizerConfig o = config.optimizer();
    this.optimizer =
        new AdamW(
            policy.transformer().layout(), o.beta1(), o.beta2(), o.epsilon(), o.weightDecay());
  }

  /** Steps taken so far. */
  public int step() {
    return step;
  }

  /** How many tasks have been taken. */
  public long cursor() {
    return (long) step * config.tasksPerStep();
  }

  /** Updates left out because a loss or gradient was not finite. */
  public int skipped() {
    return skipped;
  }

  public Policy policy() {
    return policy;
  }

  public AdamW optimizer() {
    return optimizer;
  }

  /** Goes on from a checkpoint; weights and moments have been restored by the caller. */
  void restore(int stepsTaken, int stepsSkipped) {
    step = stepsTaken;
    skipped = stepsSkipped;
  }

  /** Some tasks from a place in the order of tasks: shuffled epochs, one behind the other. */
  List<Task> tasks(long cursor, int count) {
    List<Task> all = environment.tasks(Split.TRAIN);
    List<Task> drawn = new ArrayList<>();
    long epoch = -1;
    List<Task> order = List.of();
    for (long i = cursor; i < cursor + count; i++) {
      if (i / all.size() != epoch) {
        epoch = i / all.size();
        order = new ArrayList<>(all);
        Collections.shuffle(
            order, new Random(new ContentHash().add("epoch").add(seed).add(epoch).number()));
      }
      drawn.add(order.get((int) (i % all.size())));
    }
    return drawn;
  }

  /** Rolls out, scores, updates. */
  public Step next() {
    long start = System.nanoTime();
    List<Request> requests = new ArrayList<>();
    for (Task task : tasks(cursor(), config.tasksPerStep())) {
      long episodeSeed =
          new ContentHash().add("train").add(seed).add(step).add(requests.size()).number();
      requests.add(new Request(task, 0, episodeSeed));
    }
    List<Trajectory> trajectories =
        new Rollouts(environment, policy, sampling).run(requests, config.slots(), config.threads());
    long sampled = System.nanoTime();
    Batch batch = gradient(trajectories);
    double rate = config.optimizer().rate(step, config.steps());
    double norm = GradientClip.norm(batch.gradient);
    boolean finite = Double.isFinite(batch.loss) && Double.isFinite(norm);
    if (finite) {
      GradientClip.clip(batch.gradient, norm, config.optimizer().clipNorm());
      optimizer.step(policy.transformer().weights(), batch.gradient, rate);
      policy.transformer().changed();
    } else {
      skipped++;
    }
    Step report = report(trajectories, batch, norm, rate, !finite, start, sampled);
    step++;
    return report;
  }

  /** The gradient of the mean loss, with what is reported of it. */
  private static final class Batch {
    final float[] gradient;
    double loss;
    double advantage;
    double logRatio;
    double logPi;

    Batch(int parameters) {
      gradient = new float[parameters];
    }

    void add(Batch other) {
      for (int i = 0; i < gradient.length; i++) {
        gradient[i] += other.gradient[i];
      }
      loss += other.loss;
      advantage += other.advantage;
      logRatio += other.logRatio;
      logPi += other.logPi;
    }
  }

  /**
   * Sums micro-batches in their own order, so that the number of threads does not matter; only as
   * many gradients as threads are held.
   */
  private Batch gradient(List<Trajectory> trajectories) {
    Batch sum = new Batch(policy.transformer().weights().length);
    List<List<Trajectory>> parts = microBatches(trajectories);
    for (int from = 0; from < parts.size(); from += config.threads()) {
      List<List<Trajectory>> wave =
          parts.subList(from, Math.min(parts.size(), from + config.threads()));
      Batch[] batches = new Batch[wave.size()];
      Parallel.run(
          config.threads(),
          IntStream.range(0, wave.size())
              .<Runnable>mapToObj(
                  i -> () -> batches[i] = gradient(wave.get(i), trajectories.size()))
              .toList());
      Arrays.stream(batches).forEach(sum::add);
    }
    return sum;
  }

  private List<List<Trajectory>> microBatches(List<Trajectory> trajectories) {
    List<List<Trajectory>> parts = new ArrayList<>();
    int tokens = config.microBatchTokens();
    for (Trajectory t : trajectories) {
      int length = t.sequence().tokens().length;
      if (tokens + length > config.microBatchTokens()) {
        parts.add(new ArrayList<>());
        tokens = 0;
      }
      parts.get(parts.size() - 1).add(t);
      tokens += length;
    }
    return parts;
  }

  /** Scorers keep their activations, so that a thread uses its own over and over. */
  private record Scorers(Scorer policy, Scorer reference) {}

  private Scorers scorers() {
    return new Scorers(
        new Scorer(policy.transformer(), sampling.temperature()),
        new Scorer(reference.transformer(), sampling.temperature()));
  }

  private Batch gradient(List<Trajectory> part, int all) {
    Batch batch = new Batch(policy.transformer().weights().length);
    List<Sequence> sequences = part.stream().map(Trajectory::sequence).toList();
    Scorers scorers = Optional.ofNullable(idle.poll()).orElseGet(this::scorers);
    float[] logRef = scorers.reference.logProbabilities(sequences);
    float[] logPi = scorers.policy.logProbabilities(sequences);
    float[] slopes = new float[logPi.length];
    int from = 0;
    for (Trajectory t : part) {
      int to = from + t.sequence().agentTokens();
      float[] pi = Arrays.copyOfRange(logPi, from, to);
      float[] ref = Arrays.copyOfRange(logRef, from, to);
      Objective.Loss loss = objective.of(pi, ref, t.returned(), vStar.get(t.task().id()));
      batch.loss += loss.value() / all;
      batch.advantage += loss.advantage() / all;
      for (int i = from; i < to; i++) {
        slopes[i] = loss.slopes()[i - from] / all;
        batch.logRatio += (logPi[i] - logRef[i]) / all;
        batch.logPi += logPi[i];
      }
      from = to;
    }
    scorers.policy.addGradient(slopes, batch.gradient);
    idle.add(scorers);
    return batch;
  }

  private Step report(
      List<Trajectory> ts,
      Batch b,
      double norm,
      double rate,
      boolean bad,
      long start,
      long sampled) {
    int n = ts.size();
    int tokens = ts.stream().mapToInt(t -> t.sequence().agentTokens()).sum();
    double turns = ts.stream().mapToInt(t -> t.turns().size()).sum();
    double invalid =
        ts.stream().flatMap(t -> t.turns().stream()).filter(t -> !t.outcome().valid()).count();
    return new Step(
        step,
        b.loss,
        ts.stream().mapToDouble(Trajectory::returned).sum() / n,
        ts.stream().mapToDouble(t -> vStar.get(t.task().id())).sum() / n,
        b.advantage,
        ts.stream().filter(Trajectory::success).count() / (double) n,
        turns / n,
        invalid / turns,
        b.logRatio,
        -b.logPi / Math.max(1, tokens),
        norm,
        rate,
        tokens,
        bad,
        (sampled - start) / 1e9,
        (System.nanoTime() - sampled) / 1e9);
  }
}
