package org.vstar.spark.run;

import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.policy.Policy;
import org.vstar.spark.console.Console;

/** Says what training takes of memory before its first step, and refuses what does not fit. */
public final class TrainingMemory {

  /** A model of a few megabytes is not worth a line. */
  private static final long WORTH_A_LINE = 500_000_000;

  private TrainingMemory() {}

  /**
   * Plans a warm start, which trains all weights of one model.
   *
   * @param longest tokens of the longest demonstration
   * @throws InvalidInputException with the figures if it does not fit
   */
  public static void requireForWarmStart(RunConfig config, Policy policy, int longest) {
    ModelConfig model = policy.engine().config();
    int vocabulary = policy.engine().vocabulary();
    long all = count(ModelTensors.of(model, vocabulary));
    require(config, new MemoryPlan.Load(model, vocabulary, all, longest, 1));
  }

  /**
   * Plans the online loop: all weights beside those of the reference policy, or an adapter over
   * them. How long its episodes will be nobody knows, so {@code train.microBatchTokens} counts.
   *
   * @throws InvalidInputException with the figures if it does not fit
   */
  public static void requireForTraining(RunConfig config, Policy reference) {
    ModelConfig model = reference.engine().config();
    int vocabulary = reference.engine().vocabulary();
    LoraConfig lora = config.train().lora();
    long trained = count(lora == null ? ModelTensors.of(model, vocabulary) : lora.tensors(model));
    int models = lora == null ? 2 : 1;
    require(config, new MemoryPlan.Load(model, vocabulary, trained, 0, models));
  }

  private static long count(List<Tensor> tensors) {
    return tensors.stream().mapToLong(Tensor::size).sum();
  }

  private static void require(RunConfig config, MemoryPlan.Load load) {
    EngineKind.of(config.compute().engine())
        .trainingMemory(load, config.trainingOptions())
        .ifPresent(
            plan -> {
              if (plan.bytes() > WORTH_A_LINE) {
                Console.progress("memory: %s", plan);
              }
              plan.require();
            });
  }
}
