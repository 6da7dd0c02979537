package org.vstar.model.train;

import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.objective.Objective;

/**
 * The online loop.
 *
 * @param target what an update trains towards
 * @param schedule how long it trains, and what it does between updates
 * @param batch the episodes of an update, and how they go through the model
 * @param selection which tasks train
 * @param limits what an update is not made of
 * @param optimizer AdamW and its schedule
 * @param offline how {@code submit/train --offline} goes through the samples
 * @param lora the adapter that is trained; all weights are without it
 */
@FormerKey(value = "beta2", now = "objectives.<name>.beta2")
@FormerKey(value = "klWeight", now = "objectives.<name>.klWeight")
@FormerKey(value = "clamp", now = "objectives.<name>.advantageClip")
public record TrainConfig(
    Target target,
    Schedule schedule,
    Batch batch,
    Selection selection,
    Limits limits,
    OptimizerConfig optimizer,
    @Default("{}") OfflineConfig offline,
    @OptionalKey LoraConfig lora) {

  /** One that goes through stored samples as is usual. */
  public TrainConfig(
      Target target,
      Schedule schedule,
      Batch batch,
      Selection selection,
      Limits limits,
      OptimizerConfig optimizer,
      LoraConfig lora) {
    this(
        target,
        schedule,
        batch,
        selection,
        limits,
        optimizer,
        new OfflineConfig(null, OfflineConfig.SHARD),
        lora);
  }

  private static final double MAX_SAMPLE_RATIO = 1.05;
  private static final String UNIFORM = "uniform";
  private static final String VSTAR = "vstar";

  /**
   * What an update trains towards.
   *
   * @param objective which section of {@code objectives} to train with
   * @param baseline what returns are held against: {@code vstar}, {@code mean}, the reference
   *     policy's mean return, or {@code zero}; the last two are there to compare
   * @param refresh measures V* again while training goes on; without it, V* is the reference
   *     policy's to the end
   */
  @Group
  public record Target(
      String objective, @Default("vstar") String baseline, @OptionalKey RefreshConfig refresh) {

    /** Checks the baseline's name. */
    public Target {
      baseline = Baseline.of(baseline).word();
    }
  }

  /**
   * How long the loop trains, and what it does between updates.
   *
   * @param steps updates
   * @param evaluateEvery updates between evaluations on validation tasks
   * @param evaluateTasks how many validation tasks such an evaluation plays, greedily
   * @param checkpointEvery updates between checkpoints
   * @param keepCheckpoints how many of the newest checkpoints are kept
   */
  @Group
  public record Schedule(
      int steps,
      int evaluateEvery,
      int evaluateTasks,
      @Default("20") int checkpointEvery,
      @Default("3") int keepCheckpoints) {

    /** Checks the ranges. */
    public Schedule {
      atLeastOne("steps", steps);
      atLeastOne("evaluateEvery", evaluateEvery);
      atLeastOne("evaluateTasks", evaluateTasks);
      atLeastOne("checkpointEvery", checkpointEvery);
      atLeastOne("keepCheckpoints", keepCheckpoints);
    }
  }

  /**
   * The episodes of an update, and how they go through the model.
   *
   * @param tasksPerStep tasks of an update
   * @param microBatchTokens tokens that go through the model at once in a thread; results depend on
   *     it in their last digits
   * @param slots episodes that run side by side in a thread; results do not depend on it
   * @param threads threads; results do not depend on them
   * @param minibatches parts of a step's tasks, each of which has an update of its own
   * @param epochs how often a step's trajectories are gone through
   */
  @Group
  public record Batch(
      @Default("64") int tasksPerStep,
      @Default("1024") int microBatchTokens,
      @Default("32") int slots,
      @Default("2") int threads,
      @Default("1") int minibatches,
      @Default("1") int epochs) {

    /** One update a step. */
    public Batch(int tasksPerStep, int microBatchTokens, int slots, int threads) {
      this(tasksPerStep, microBatchTokens, slots, threads, 1, 1);
    }

    /** Checks the ranges. */
    public Batch {
      atLeastOne("tasksPerStep", tasksPerStep);
      atLeastOne("microBatchTokens", microBatchTokens);
      atLeastOne("slots", slots);
      atLeastOne("threads", threads);
      atLeastOne("epochs", epochs);
      InvalidInputException.require(
          minibatches > 0 && minibatches <= tasksPerStep,
          "train.minibatches",
          minibatches,
          "1 to train.tasksPerStep, " + tasksPerStep);
    }
  }

  /**
   * Which tasks train.
   *
   * @param tasks in which order tasks are taken: {@code uniform}, each once an epoch; {@code
   *     uncertain}, in proportion to how much the reference policy's returns vary; {@code
   *     curriculum}, those of high V* first; {@code tracked}, those whose outcome is least certain
   *     by what SPO tracks
   * @param keep share of the train tasks that train, 0 to 1: those whose returns under the
   *     reference policy vary most, as StarPO-S filters
   * @param dynamicSampling how often tasks are drawn for a step at most: groups whose returns are
   *     all equal are left out of it, and others are drawn in their place (DAPO); 1 leaves none out
   */
  @Group
  public record Selection(
      @Default("uniform") String tasks,
      @Default("1.0") double keep,
      @Default("1") int dynamicSampling) {

    /** Every group of returns trains. */
    public Selection(String tasks, double keep) {
      this(tasks, keep, 1);
    }

    /** Whether steps take the tasks that the objective's estimator finds most to learn from. */
    boolean isTracked() {
      return TaskDraw.Order.of(tasks) == TaskDraw.Order.TRACKED;
    }

    /** Checks the order's name and the range. */
    public Selection {
      tasks = TaskDraw.Order.of(tasks).word();
      InvalidInputException.require(
          keep > 0 && keep <= 1, "train.keep", keep, "more than 0, at most 1");
      atLeastOne("dynamicSampling", dynamicSampling);
    }
  }

  /**
   * What an update is not made of.
   *
   * @param maxSkipped largest share of the steps, 0 to 1, that may be skipped because their loss or
   *     gradient is not finite; training ends with an error beyond it
   * @param maxSampleRatio x: a trajectory is masked if the geometric mean of π_scored/π_sampled
   *     over its tokens lies outside [1/x, x]. It has no effect where an engine samples and scores
   *     alike
   */
  @Group
  public record Limits(@Default("0.1") double maxSkipped, @Default("1.05") double maxSampleRatio) {

    /** Checks the ranges. */
    public Limits {
      InvalidInputException.requireProbability("train.maxSkipped", maxSkipped);
      InvalidInputException.require(
          maxSampleRatio > 1, "train.maxSampleRatio", maxSampleRatio, "more than 1");
    }
  }

  /**
   * How stored samples are gone through.
   *
   * @param epochs passes over all samples; instead of {@code train.steps}, which says how many
   *     updates there are where this is absent
   * @param shard trajectories that the driver holds at once; does not change results
   */
  public record OfflineConfig(@OptionalKey Integer epochs, @Default("4096") int shard) {

    private static final int SHARD = 4096;

    /** Checks the ranges. */
    public OfflineConfig {
      InvalidInputException.require(
          epochs == null || epochs > 0, "train.offline.epochs", epochs, "at least 1");
      atLeastOne("offline.shard", shard);
    }
  }

  /** The same with another number of updates. */
  public TrainConfig withSteps(int steps) {
    Schedule all =
        new Schedule(
            steps,
            schedule.evaluateEvery,
            schedule.evaluateTasks,
            schedule.checkpointEvery,
            schedule.keepCheckpoints);
    return new TrainConfig(target, all, batch, selection, limits, optimizer, offline, lora);
  }

  private static void atLeastOne(String key, int value) {
    InvalidInputException.require(value > 0, "train." + key, value, "at least 1");
  }

  /**
   * Whether training needs what the reference policy makes of tasks: the choice of tasks may, and
   * an objective whose returns are held against something else than 0.
   */
  public boolean readsBaselines(Objective objective) {
    boolean zero = Baseline.of(target.baseline) == Baseline.ZERO;
    return objective.readsBaselines() && (!zero || objective.readsMeans())
        || !selection.tasks.equals(UNIFORM) && !selection.isTracked()
        || selection.keep < 1
        || target.refresh != null;
  }

  /**
   * Refuses an objective that training with these settings cannot have.
   *
   * @throws InvalidInputException naming the key
   */
  public void requireFits(Objective objective) {
    InvalidInputException.require(
        !selection.isTracked() || objective.tracksTasks(),
        "train.tasks",
        selection.tasks,
        "uniform, uncertain or curriculum: " + objective.method() + " does not track tasks");
  }

  /**
   * Everything here that the numbers of a step depend on. How many steps there are, and what is
   * evaluated when, can be changed while a run goes on. (The rate of the steps still to come
   * follows the new number of steps.)
   */
  public CanonicalJson canonical() {
    CanonicalJson canonical =
        CanonicalJson.of("training", 2)
            .with("tasksPerStep", batch.tasksPerStep())
            .with("microBatchTokens", batch.microBatchTokens())
            .with("optimizer", optimizer.canonical());
    if (limits.maxSampleRatio != MAX_SAMPLE_RATIO) {
      canonical.with("maxSampleRatio", limits.maxSampleRatio);
    }
    if (!selection.tasks.equals(UNIFORM)) {
      canonical.with("tasks", selection.tasks);
    }
    if (selection.keep != 1) {
      canonical.with("keep", selection.keep);
    }
    if (batch.minibatches != 1) {
      canonical.with("minibatches", batch.minibatches);
    }
    if (batch.epochs != 1) {
      canonical.with("epochs", batch.epochs);
    }
    if (selection.dynamicSampling != 1) {
      canonical.with("dynamicSampling", selection.dynamicSampling);
    }
    if (!target.baseline.equals(VSTAR)) {
      canonical.with("baseline", target.baseline);
    }
    if (target.refresh != null) {
      canonical.with("refresh.every", target.refresh.every());
      if (target.refresh.overlap) {
        canonical.with("refresh.overlap", true);
      }
    }
    return lora == null ? canonical : canonical.with("lora", lora.canonical());
  }

  /**
   * Re-estimates V* every so many updates. The current policy becomes the reference for V*, the
   * regression target and the KL term.
   *
   * @param every updates between two estimates
   * @param overlap whether executors sample while the driver trains: updates are then held against
   *     the estimate before the newest one, of a policy that is {@code every} to twice as many
   *     updates old
   */
  public record RefreshConfig(int every, @Default("false") boolean overlap) {

    /** Checks the range. */
    public RefreshConfig {
      atLeastOne("refresh.every", every);
    }

    /** The step whose policy is the reference of an update; 0 is the run's own reference. */
    public int origin(int step) {
      return Math.max(0, step / every - (overlap ? 1 : 0)) * every;
    }

    /** The first update that a policy of a step is the reference of. */
    public int firstOf(int origin) {
      return origin == 0 || !overlap ? origin : origin + every;
    }
  }
}
