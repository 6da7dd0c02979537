package org.vstar.spark.run;

import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.env.EnvironmentConfig;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.objective.Objective;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.RetryPolicy;
import org.vstar.model.train.TrainConfig;
import org.vstar.spark.iceberg.IcebergConfig;
import org.vstar.spark.tracking.TrackingConfig;

/**
 * A config file.
 *
 * @param name what the run is called, and its folder under {@code out} by default
 * @param seed every random draw of every job derives from it
 * @param compute what the model runs on
 * @param environment what the agent acts in; {@code kind} says which
 * @param policy where the policy comes from
 * @param sampling how answers are sampled
 * @param vstar how V* is measured
 * @param objectives the objectives that can be trained with, by names of your own; {@code kind}
 *     says which each is
 * @param train the online loop
 * @param evaluate how policies are evaluated
 * @param faults what is done about an environment that fails
 * @param publishing where results go beside the run's folder
 * @param study methods that are compared, for {@code submit/study}
 */
public record RunConfig(
    String name,
    long seed,
    Compute compute,
    EnvironmentConfig environment,
    PolicySource policy,
    SamplingConfig sampling,
    @Default("{}") VStarConfig vstar,
    Map<String, Objective> objectives,
    TrainConfig train,
    @Default("{}") EvaluateConfig evaluate,
    @Default("{}") RetryPolicy faults,
    Publishing publishing,
    @OptionalKey StudyConfig study) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9-]+");
  private static final Pattern RUN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  /** Checks what concerns more than one section. */
  public RunConfig {
    InvalidInputException.require(
        RUN.matcher(name).matches(),
        "name",
        "'" + name + "'",
        "letters, digits, dots, dashes and underscores: it names a folder");
    for (String key : objectives.keySet()) {
      InvalidInputException.require(
          NAME.matcher(key).matches(), "objectives", key, "names of letters, digits and dashes");
    }
    InvalidInputException.require(
        objectives.containsKey(train.target().objective()),
        "train.objective",
        "'" + train.target().objective() + "'",
        "one of " + new TreeSet<>(objectives.keySet()) + ", the sections of objectives");
    train.requireFits(objectives.get(train.target().objective()));
    InvalidInputException.require(
        evaluate.beams() == null || EngineKind.of(compute.engine()).searchesBeams(),
        "evaluate.beams",
        "there",
        "no such section with engine: " + compute.engine() + ", which cannot search beams");
    requireBeta1(objectives.get(train.target().objective()), vstar.beta1());
  }

  /**
   * What the model runs on.
   *
   * @param engine what runs the model
   * @param device what it runs on, {@code auto}, {@code cpu} or {@code cuda:N}
   * @param dtype of its computation, {@code float32}, {@code bfloat16} or {@code float16}
   * @param activationCheckpointing whether training makes activations again instead of keeping them
   * @param driverMemory Java's heap of the driver, for example {@code 6g}, where the command does
   *     not say {@code --driver-memory}; on one machine executors share it
   * @param cacheOutcomes whether executors that sample or evaluate in a deterministic environment
   *     do not play again what the same actions on the same task led to before; results do not
   *     depend on it
   */
  @Group
  public record Compute(
      @Default("vector") String engine,
      @Default("auto") String device,
      @Default("float32") String dtype,
      @Default("false") boolean activationCheckpointing,
      @OptionalKey String driverMemory,
      @Default("true") boolean cacheOutcomes) {

    private static final Pattern SIZE = Pattern.compile("[0-9]+[kKmMgGtT]");

    /** Checks the names. */
    public Compute {
      engine = EngineKind.of(engine).kind();
      InvalidInputException.require(
          DType.ofTorch(dtype).isPresent(), "dtype", dtype, "float32, bfloat16 or float16");
      InvalidInputException.require(
          driverMemory == null || SIZE.matcher(driverMemory).matches(),
          "driverMemory",
          driverMemory,
          "a size such as 6g");
    }

    private DType type() {
      return DType.ofTorch(dtype).orElseThrow();
    }
  }

  /**
   * Where the policy comes from.
   *
   * @param model the shape of the policy, if it is not {@code huggingFace.model}'s
   * @param huggingFace a policy in Hugging Face's layout; without it the policy is Vstar's own
   *     small one, with a list of the environment's words
   * @param warmStart how the reference policy is made; without it {@code huggingFace.model} is the
   *     reference policy as it is
   */
  @Group
  public record PolicySource(
      @OptionalKey ModelConfig model,
      @OptionalKey HuggingFaceSource huggingFace,
      @OptionalKey WarmStartConfig warmStart) {

    /** Checks that there is one source, and that the sections agree. */
    public PolicySource {
      boolean whole = huggingFace != null && huggingFace.model() != null;
      InvalidInputException.require(
          whole != (model != null),
          "model",
          model == null ? "not there" : "there beside huggingFace.model",
          "either a shape here or a folder as huggingFace.model (a config with one includes"
              + " learning.yaml, not defaults.yaml)");
      InvalidInputException.require(
          whole || warmStart != null,
          "warmStart",
          "not there",
          "a section: only huggingFace.model needs none");
      if (warmStart != null) {
        requireWarmStart(warmStart, whole, huggingFace);
      }
    }

    private static void requireWarmStart(
        WarmStartConfig warmStart, boolean whole, HuggingFaceSource huggingFace) {
      InvalidInputException.require(
          whole == (warmStart.initialization() == null),
          "warmStart.initialization",
          whole ? "there beside huggingFace.model" : "not there",
          whole ? "none: the model has its weights" : "a section: the weights are drawn");
      InvalidInputException.require(
          huggingFace == null || warmStart.vocabularySize() == null,
          "warmStart.vocabularySize",
          warmStart.vocabularySize(),
          "no such key with huggingFace: its tokenizer is there already");
    }
  }

  /**
   * Where results go beside the run's folder.
   *
   * @param iceberg where the V* job's tables are registered as Iceberg tables; nowhere without it
   * @param tracking where training's numbers go beside the run's folder
   */
  @Group
  public record Publishing(
      @OptionalKey IcebergConfig iceberg, @Default("{}") TrackingConfig tracking) {}

  private static void requireBeta1(Objective objective, double beta1) {
    objective
        .beta1()
        .ifPresent(
            own ->
                InvalidInputException.require(
                    own == beta1,
                    "vstar.beta1",
                    beta1,
                    own + ", which " + objective.method() + " is trained with"));
  }

  /** The same with another number of updates. */
  public RunConfig withSteps(int steps) {
    return new RunConfig(
        name,
        seed,
        compute,
        environment,
        policy,
        sampling,
        vstar,
        objectives,
        train.withSteps(steps),
        evaluate,
        faults,
        publishing,
        study);
  }

  /** The objective to train with. */
  public Objective objective() {
    return objectives.get(train.target().objective());
  }

  /** What training may use of the driver's machine. */
  public EngineOptions trainingOptions() {
    return new EngineOptions(
        train.batch().threads(),
        train.batch().microBatchTokens(),
        compute.device(),
        compute.type(),
        compute.activationCheckpointing());
  }

  /** What a task of an executor may use. */
  public EngineOptions samplingOptions() {
    return EngineOptions.ONE_THREAD.on(compute.device(), compute.type());
  }
}
