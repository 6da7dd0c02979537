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
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.TrainConfig;
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
    MemoryPlan.Load load =
        new MemoryPlan.Load(
            policy.engine().config(), policy.engine().vocabulary(), 0, longest, 1, 1, 0);
    return fitting(config, load, "lower train.threads, or imitate shorter episodes");
  }

  /**
   * Plans the online loop: all weights beside those of the reference policy, or an adapter over
   * them. An episode has {@code sampling.maxTokens} at most; without that key {@code
   * train.microBatchTokens} are counted.
   *
   * @return what it may use: as the config says, or less where that does not fit
   * @throws InvalidInputException with the figures if nothing fits
   */
  public static EngineOptions forTraining(RunConfig config, Policy reference) {
    ModelConfig model = reference.engine().config();
    TrainConfig train = config.train();
    LoraConfig lora = train.lora();
    long adapter = lora == null ? 0 : lora.tensors(model).stream().mapToLong(Tensor::size).sum();
    int critics = config.objective().criticConfig().isPresent() ? 1 : 0;
    Integer most = config.sampling().maxTokens();
    int longest = most == null ? 0 : Math.min(most, model.context());
    int each = most == null ? Math.min(train.batch().microBatchTokens(), model.context()) : longest;
    MemoryPlan.Load load =
        new MemoryPlan.Load(
            model,
            reference.engine().vocabulary(),
            adapter,
            longest,
            models(train) + (lora == null ? critics : 0),
            1 + critics,
            (long) episodes(train) * each);
    String less = "lower sampling.maxTokens, train.slots or train.threads";
    return fitting(config, load, lora == null ? "train an adapter (train.lora), or " + less : less);
  }

  /** A refresh opens its reference policy while the run's own and the former one are open. */
  private static int models(TrainConfig train) {
    if (train.lora() != null) {
      return 1;
    }
    return train.target().refresh() == null ? 2 : 4;
  }

  /** How many episodes are played side by side at most; a task may be played several times. */
  private static int episodes(TrainConfig train) {
    return train.batch().slots() * train.batch().threads();
  }

  private static EngineOptions fitting(RunConfig config, MemoryPlan.Load load, String less) {
    EngineKind kind = EngineKind.of(config.compute().engine());
    return fitting(
        kind, load, config.trainingOptions(), less, line -> Console.progress("%s", line));
  }

  /**
   * A reference policy with what training from it may use.
   *
   * @param options the config's, or less where the machine has not as much memory
   */
  public record Reference(Policy policy, EngineOptions options) {}

  /**
   * Opens a run's reference policy so that training from it fits into this machine's memory.
   *
   * @throws InvalidInputException with the figures if nothing fits
   */
  public static Reference reference(RunFolder run, RunConfig config) {
    String engine = config.compute().engine();
    Policy policy = run.loadReference(engine, config.trainingOptions());
    EngineOptions options = forTraining(config, policy);
    if (!options.equals(config.trainingOptions())) {
      policy.engine().close();
      policy = run.loadReference(engine, options);
    }
    return new Reference(policy, options);
  }

  /**
   * Options with which training fits: those that are wanted, then with activations made again, then
   * with smaller and smaller micro-batches.
   *
   * @param less how to need less where all of that does not do, as the end of a sentence
   * @param say takes the line of the plan, and one of what had to change
   * @throws InvalidInputException with the figures of the last if none fits
   */
  static EngineOptions fitting(
      EngineKind kind,
      MemoryPlan.Load load,
      EngineOptions wanted,
      String less,
      Consumer<String> say) {
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
    while (!plan.fits() && smaller(options, load) < options.microBatchTokens()) {
      options = options.inMicroBatchesOf(smaller(options, load));
      plan = kind.trainingMemory(load, options).orElseThrow();
    }
    plan.require(less);
    if (plan.bytes() > WORTH_A_LINE) {
      int tokens = load.tokens(options.microBatchTokens());
      say.accept(
          String.format(
              Locale.ROOT, "memory, with up to %,d tokens at once in a thread: %s", tokens, plan));
    }
    if (!options.equals(wanted)) {
      say.accept(changed(first.get(), wanted, options));
    }
    return options;
  }

  /** Half as many tokens at once, but as many as the longest sequence has. */
  private static int smaller(EngineOptions options, MemoryPlan.Load load) {
    return Math.max(Math.max(LEAST, load.longest()), options.microBatchTokens() / 2);
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
        "memory: as the config says it would be %s, so %s",
        MemoryPlan.size(first.bytes()),
        String.join(" and ", changes));
  }
}
