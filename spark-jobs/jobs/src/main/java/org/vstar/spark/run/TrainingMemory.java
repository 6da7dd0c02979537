package org.vstar.spark.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.policy.Policy;
import org.vstar.spark.console.Console;

/**
 * Says what training takes of memory before its first step, takes less where that does not fit, and
 * refuses what cannot.
 */
public final class TrainingMemory {

  /** A model of a few megabytes is not worth a line. */
  private static final long WORTH_A_LINE = 500_000_000;

  /** Tokens of a micro-batch below which nothing is won. */
  private static final int LEAST = 64;

  private TrainingMemory() {}

  /**
   * Plans a warm start, which trains all weights of one model.
   *
   * @param longest tokens of the longest demonstration
   * @return what it may use: as the config says, or less where that does not fit
   * @throws InvalidInputException with the figures if nothing fits
   */
  public static EngineOptions forWarmStart(RunConfig config, Policy policy, int longest) {
    ModelConfig model = policy.engine().config();
    int vocabulary = policy.engine().vocabulary();
    long all = count(ModelTensors.of(model, vocabulary));
    return fitting(config, new MemoryPlan.Load(model, vocabulary, all, longest, 1));
  }

  /**
   * Plans the online loop: all weights beside those of the reference policy, or an adapter over
   * them. How long its episodes will be nobody knows, so {@code train.microBatchTokens} counts.
   *
   * @return what it may use: as the config says, or less where that does not fit
   * @throws InvalidInputException with the figures if nothing fits
   */
  public static EngineOptions forTraining(RunConfig config, Policy reference) {
    ModelConfig model = reference.engine().config();
    int vocabulary = reference.engine().vocabulary();
    LoraConfig lora = config.train().lora();
    long trained = count(lora == null ? ModelTensors.of(model, vocabulary) : lora.tensors(model));
    int models = lora == null ? 2 : 1;
    return fitting(config, new MemoryPlan.Load(model, vocabulary, trained, 0, models));
  }

  private static long count(List<Tensor> tensors) {
    return tensors.stream().mapToLong(Tensor::size).sum();
  }

  private static EngineOptions fitting(RunConfig config, MemoryPlan.Load load) {
    EngineKind kind = EngineKind.of(config.compute().engine());
    return fitting(kind, load, config.trainingOptions(), line -> Console.progress("%s", line));
  }

  /**
   * Options with which training fits: those that are wanted, then with activations made again, then
   * with smaller and smaller micro-batches.
   *
   * @param say takes the line of the plan, and one of what had to change
   * @throws InvalidInputException with the figures of the last if none fits
   */
  static EngineOptions fitting(
      EngineKind kind, MemoryPlan.Load load, EngineOptions wanted, Consumer<String> say) {
    Optional<MemoryPlan> first = kind.trainingMemory(load, wanted);
    if (first.isEmpty()) {
      return wanted;
    }
    EngineOptions options = wanted;
    MemoryPlan plan = first.get();
    EngineOptions again = wanted.withCheckpointing();
    long least = kind.trainingMemory(load, again).map(MemoryPlan::bytes).orElse(Long.MAX_VALUE);
    if (!plan.fits() && least < plan.bytes()) {
      options = again;
      plan = kind.trainingMemory(load, options).orElseThrow();
    }
    while (!plan.fits() && options.microBatchTokens() / 2 >= Math.max(LEAST, load.longest())) {
      options = options.inMicroBatchesOf(options.microBatchTokens() / 2);
      plan = kind.trainingMemory(load, options).orElseThrow();
    }
    plan.require();
    if (plan.bytes() > WORTH_A_LINE) {
      say.accept("memory: " + plan);
    }
    if (!options.equals(wanted)) {
      say.accept(changed(first.get(), wanted, options));
    }
    return options;
  }

  private static String changed(MemoryPlan first, EngineOptions wanted, EngineOptions options) {
    List<String> changes = new ArrayList<>();
    if (options.checkpointing() != wanted.checkpointing()) {
      changes.add("activationCheckpointing is on, which takes a third more time");
    }
    if (options.microBatchTokens() != wanted.microBatchTokens()) {
      changes.add(
          String.format(
              Locale.ROOT,
              "train.microBatchTokens is %d instead of %d, which may change last digits",
              options.microBatchTokens(),
              wanted.microBatchTokens()));
    }
    return String.format(
        Locale.ROOT,
        "memory: as the config says it would be %.1f GB, so %s",
        first.bytes() / 1e9,
        String.join(" and ", changes));
  }
}
