package org.vstar.spark.table;

import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The columns of a run's tables: a public contract. Each says what it means, which {@code DESCRIBE}
 * shows; the page {@code tables.md} of the site says more.
 */
public final class Columns {

  private static final DataType STRING = DataTypes.StringType;
  private static final DataType INT = DataTypes.IntegerType;
  private static final DataType LONG = DataTypes.LongType;
  private static final DataType DOUBLE = DataTypes.DoubleType;
  private static final DataType BOOLEAN = DataTypes.BooleanType;

  /** The columns of {@code tasks}. */
  public static final StructType TASKS =
      new StructType()
          .add("task_id", STRING, false, "unique within the environment")
          .add("environment", STRING, false, "name of the environment")
          .add("split", STRING, false, "train, validation or test")
          .add("category", STRING, false, "the kind of task")
          .add("prompt", STRING, false, "the first observation")
          .add("cluster", STRING, false, "results of tasks in one cluster are correlated")
          .add("environment_fingerprint", STRING, false, "content hash of rules and data");

  /** The columns of {@code samples}. */
  public static final StructType SAMPLES =
      fingerprints(
              new StructType()
                  .add("task_id", STRING, false, "which task")
                  .add("sample_index", INT, false, "which sample of the task, from 0")
                  .add("seed", LONG, false, "hash of the sample's key and the run's seed")
                  .add("return", DOUBLE, false, "sum of the rewards")
                  .add("success", BOOLEAN, false, "the environment's own yes or no")
                  .add("turns", INT, false, "turns that were played")
                  .add("tokens", INT, false, "tokens that the policy wrote")
                  .add("stop_reason", STRING, false, "done, out_of_turns or context_full")
                  .add(
                      "actions",
                      DataTypes.createArrayType(STRING, false),
                      false,
                      "what the policy did, turn by turn")
                  .add("ref_logprob", DOUBLE, false, "ln of the probability of what it wrote")
                  .add("duration_ms", LONG, false, "how long the episode took"))
          .add(
              "reward_parts",
              DataTypes.createMapType(STRING, DOUBLE, false),
              false,
              "what the last reward was made of; empty where it has no parts");

  private static final StructType TURN =
      new StructType()
          .add("observation", STRING, false, "what the policy saw")
          .add("thought", STRING, false, "what it thought")
          .add("action", STRING, false, "what it did")
          .add("tokens", INT, false, "tokens of thought, action and their marks")
          .add("state_key", STRING, false, "equal for equal states of a task")
          .add("reward", DOUBLE, false, "of the turn")
          .add(
              "reward_parts",
              DataTypes.createMapType(STRING, DOUBLE, false),
              false,
              "what the reward was made of; empty where it has no parts")
          .add("done", BOOLEAN, false, "the environment ended the episode")
          .add("success", BOOLEAN, false, "the task was accomplished")
          .add("valid", BOOLEAN, false, "the action was legal")
          .add("event", STRING, false, "what happened, in one of the environment's fixed words")
          .add("goal_seen", BOOLEAN, false, "what the task is after came into view");

  private static final StructType SEQUENCE =
      new StructType()
          .add(
              "tokens",
              DataTypes.createArrayType(INT, false),
              false,
              "token ids, observations and answers in order")
          .add(
              "agent",
              DataTypes.createArrayType(
                  new StructType()
                      .add("from", INT, false, "place of the first token that the policy wrote")
                      .add("until", INT, false, "place behind the last"),
                  false),
              false,
              "which tokens the policy wrote")
          .add(
              "allowed",
              DataTypes.createArrayType(DataTypes.BinaryType, false),
              false,
              "for each of these the tokens it was drawn from, a bit each; empty: all tokens");

  /** The columns of {@code trajectories}. */
  public static final StructType TRAJECTORIES =
      fingerprints(
          new StructType()
              .add("task_id", STRING, false, "which task")
              .add("sample_index", INT, false, "which sample of the task, from 0")
              .add("seed", LONG, false, "hash of the sample's key and the run's seed")
              .add("return", DOUBLE, false, "sum of the rewards")
              .add("success", BOOLEAN, false, "the environment's own yes or no")
              .add("stop_reason", STRING, false, "done, out_of_turns or context_full")
              .add("turns", DataTypes.createArrayType(TURN, false), false, "turn by turn")
              .add(
                  "sequences",
                  DataTypes.createArrayType(SEQUENCE, false),
                  false,
                  "one, or more where the policy saw only the last turns")
              .add(
                  "log_probabilities",
                  DataTypes.createArrayType(DataTypes.FloatType, false),
                  false,
                  "ln of the probability of each token that the policy wrote")
              .add("duration_ms", LONG, false, "how long the episode took"));

  /** The columns of {@code vstar}. */
  public static final StructType VSTAR =
      fingerprints(
              new StructType()
                  .add("task_id", STRING, false, "which task")
                  .add("environment", STRING, false, "name of the environment")
                  .add("split", STRING, false, "train")
                  .add("prompt", STRING, false, "the task's first observation")
                  .add("beta1", DOUBLE, false, "temperature of V*; 0 is the mean return")
                  .add("v_star", DOUBLE, false, "beta1 ln mean exp(return/beta1)")
                  .add(
                      "v_star_se",
                      DOUBLE,
                      false,
                      "standard error by the delta method; no error bar for few samples")
                  .add("v_star_low", DOUBLE, false, "lower end of the 95 % interval of V*")
                  .add("v_star_high", DOUBLE, false, "upper end of the 95 % interval of V*")
                  .add(
                      "v_star_bias",
                      DOUBLE,
                      false,
                      "how far v_star lies from V* on average, to first order")
                  .add(
                      "v_star_shrunk",
                      DOUBLE,
                      true,
                      "V* as the task's samples and a prediction from others' say; adaptive runs")
                  .add("n", INT, false, "samples that V* was estimated from")
                  .add("return_mean", DOUBLE, false, "mean of the returns")
                  .add("return_sd", DOUBLE, false, "their standard deviation; NaN for n = 1")
                  .add("return_max", DOUBLE, false, "the largest return")
                  .add("all_alike", BOOLEAN, false, "all returns are equal")
                  .add("success_rate", DOUBLE, false, "share of samples that succeeded")
                  .add("ess", DOUBLE, false, "effective sample size, 1 to n"))
          .add("run_id", STRING, false, "content hash of the fingerprints, n, beta1 and the seed");

  /** The columns of {@code failures}. */
  public static final StructType FAILURES =
      fingerprints(
          new StructType()
              .add("task_id", STRING, false, "which task; it has no V*")
              .add("sample_index", INT, false, "which sample of the task")
              .add("seed", LONG, false, "hash of the sample's key and the run's seed")
              .add("turn", INT, false, "which turn was to be taken, from 0")
              .add("attempts", INT, false, "how often the episode was played, to no end")
              .add("reason", STRING, false, "what the environment did the last time, and where"));

  /** The columns of {@code headroom}. */
  public static final StructType HEADROOM =
      new StructType()
          .add("measure", STRING, false, "always_fail, always_succeed, mixed, pass_at_k, …")
          .add("of", STRING, false, "the k of pass_at_k, a baseline, or a value of train.keep")
          .add("value", DOUBLE, false, "a share of the train tasks, or a mean over them")
          .add("low", DOUBLE, false, "lower end of the 95 % interval, clustered")
          .add("high", DOUBLE, false, "upper end of the 95 % interval, clustered")
          .add("tasks", LONG, false, "train tasks that have a value");

  private Columns() {}

  private static final StructType STUDY_RUNS =
      run()
          .add("steps", INT, false, "updates")
          .add("rollouts", LONG, false, "played in all, stage 1 included")
          .add("stage_one_rollouts", LONG, false, "samples of the reference policy")
          .add("stage_one_seconds", DOUBLE, false, "time that these took")
          .add("sampling_seconds", DOUBLE, false, "time of training's own rollouts")
          .add("table_seconds", DOUBLE, false, "time that training waited for further tables")
          .add("update_seconds", DOUBLE, false, "time of scoring and updating")
          .add("success", DOUBLE, false, "greedy, share of all validation tasks")
          .add("return", DOUBLE, false, "mean of the same episodes")
          .add("episodes", INT, false, "how many these are")
          .add("policy_fingerprint", STRING, false, "content hash of the trained policy")
          .add("settings", STRING, false, "content hash of all that it was run with");

  private static final StructType STUDY_CURVES =
      run()
          .add("step", INT, false, "updates taken")
          .add("rollouts", LONG, false, "played until then, stage 1 included")
          .add("seconds", DOUBLE, false, "spent until then, stage 1 included")
          .add("success", DOUBLE, false, "greedy, share of train.evaluateTasks validation tasks")
          .add("return", DOUBLE, false, "mean of the same episodes");

  private static final StructType STUDY_EPISODES =
      run()
          .add("task_id", STRING, false, "a validation task")
          .add("cluster", STRING, false, "results of tasks in one cluster are correlated")
          .add("success", BOOLEAN, false, "of the trained policy's greedy episode")
          .add("return", DOUBLE, false, "of the same");

  private static StructType run() {
    return new StructType()
        .add("arm", STRING, false, "the method, as the config names it")
        .add("seed", LONG, false, "of the run");
  }

  /** The columns of a study's table. */
  static Optional<StructType> ofStudy(String table) {
    return switch (table) {
      case Tables.STUDY_RUNS -> Optional.of(STUDY_RUNS);
      case Tables.STUDY_CURVES -> Optional.of(STUDY_CURVES);
      case Tables.STUDY_EPISODES -> Optional.of(STUDY_EPISODES);
      default -> Optional.empty();
    };
  }

  private static StructType fingerprints(StructType columns) {
    return columns
        .add("policy_fingerprint", STRING, false, "content hash of the reference policy")
        .add("environment_fingerprint", STRING, false, "content hash of rules and data")
        .add("reward_fingerprint", STRING, false, "content hash of the reward settings")
        .add("sampling_fingerprint", STRING, false, "content hash of the sampling settings");
  }
}
