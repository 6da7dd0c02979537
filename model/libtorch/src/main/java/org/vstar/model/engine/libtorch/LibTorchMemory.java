package org.vstar.model.engine.libtorch;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.weights.ParameterLayout;

/**
 * What training takes beside Java's heap on a processor: what {@link MicroBatchPass} makes LibTorch
 * keep for a derivative, and the parameters with all that an update needs.
 */
final class LibTorchMemory {

  /** Of the logits' place, so many numbers at once: see {@link OutputHead}. */
  private static final long LOGITS = OutputHead.ON_CPU;

  private LibTorchMemory() {}

  static MemoryPlan plan(MemoryPlan.Load load, EngineOptions options) {
    ModelConfig c = load.model();
    long all = new ParameterLayout(c, load.vocabulary()).size();
    long size = options.dtype().bytes();
    boolean exact = size == Float.BYTES;
    boolean adapter = load.trained() < all;
    long threads = options.threads();
    long tokens = Math.max(options.microBatchTokens(), load.longest());
    long masters = exact ? 0 : Float.BYTES * load.trained();
    long ofHead = adapter ? 0 : Float.BYTES * (long) load.vocabulary() * c.width();
    return new MemoryPlan(
        "this machine's memory",
        available(),
        List.of(
            new MemoryPlan.Part("weights", size * all * load.models() + masters),
            new MemoryPlan.Part(
                "gradients",
                Float.BYTES * load.trained() + threads * (size * load.trained() + ofHead)),
            new MemoryPlan.Part("moments", 2 * Float.BYTES * load.trained()),
            new MemoryPlan.Part(
                "activations",
                threads * tokens * size * numbersOfToken(c, options.checkpointing())),
            // Logits are made of the tokens that are scored: an agent writes less than half.
            new MemoryPlan.Part(
                "logits",
                threads * Float.BYTES * Math.min(LOGITS, tokens / 2 * load.vocabulary()))),
        "lower train.microBatchTokens or train.threads, or train an adapter (train.lora)");
  }

  /** What is kept of a token: all blocks', or what enters each and one block's. */
  private static long numbersOfToken(ModelConfig c, boolean checkpointing) {
    long block = numbersOfBlock(c);
    return checkpointing ? (long) c.layers() * c.width() + block : c.layers() * block;
  }

  /**
   * Both norms keep what enters, what is scaled and what leaves them; attention keeps queries, keys
   * and values, which are repeated where heads share them, and what leaves it, twice; SwiGLU its
   * gate before and after SiLU, its other half, and their product.
   */
  private static long numbersOfBlock(ModelConfig c) {
    return 6L * c.width() + 5L * c.queryWidth() + c.kvWidth() + 4L * c.feedForward();
  }

  /** What this machine or container has, without what Java has of it. */
  private static long available() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getTotalMemorySize()
        - ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
  }
}
