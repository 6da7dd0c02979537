package org.vstar.model.engine.libtorch;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.MemoryPlan;
import org.vstar.model.engine.ModelConfig;

/**
 * What training takes beside Java's heap on a processor: what {@link MicroBatchPass} makes LibTorch
 * keep for a derivative, and the parameters with all that an update needs.
 */
final class LibTorchMemory {

  /** So many numbers of logits are made at once: see {@link OutputHead}. */
  private static final long LOGITS = OutputHead.ON_CPU;

  /** The policy's scorer and the reference's. */
  private static final int SCORERS = 2;

  /** A cache that has to grow takes half more than it needs. */
  private static final double GROWTH = 1.5;

  private LibTorchMemory() {}

  static MemoryPlan plan(MemoryPlan.Load load, EngineOptions options) {
    ModelConfig c = load.model();
    long all = load.weights();
    long size = options.dtype().bytes();
    // Beside what is computed with, the parameters stay as their file has them: float32 at most.
    long masters = size == Float.BYTES ? 0 : Float.BYTES;
    long threads = options.threads();
    long tokens = load.tokens(options.microBatchTokens());
    long trained = load.trained();
    long ofHead = load.adapter() == 0 ? Float.BYTES * (long) load.vocabulary() * c.width() : 0;
    int trainers = load.trainers();
    long adapter = trainers * (size + masters) * load.adapter();
    long cached = load.cached() * c.layers() * 2 * size * c.kvWidth();
    return new MemoryPlan(
        "this machine's memory",
        available(),
        List.of(
            new MemoryPlan.Part("weights", (size + masters) * all * load.models() + adapter),
            new MemoryPlan.Part(
                "gradients",
                trainers * (Float.BYTES * trained + threads * (size * trained + ofHead))),
            new MemoryPlan.Part("moments", 2 * trainers * Float.BYTES * trained),
            new MemoryPlan.Part(
                "activations",
                threads * tokens * size * numbersOfToken(c, options.checkpointing())),
            // Logits are made of the tokens that are scored: an agent writes about half of a
            // sequence at most.
            new MemoryPlan.Part(
                "logits",
                SCORERS * threads * Float.BYTES * Math.min(LOGITS, tokens / 2 * load.vocabulary())),
            new MemoryPlan.Part("keys and values", (long) (GROWTH * cached))),
        "use a machine with more");
  }

  /** What is kept of a token: all blocks', or what enters each and one block's. */
  private static long numbersOfToken(ModelConfig c, boolean checkpointing) {
    long block = numbersOfBlock(c);
    return checkpointing ? (long) c.layers() * c.width() + block : c.layers() * block;
  }

  /**
   * Both norms keep what enters, what is scaled and what leaves them, and so do those of queries
   * and keys where the model has them; attention keeps queries, keys and values, which are repeated
   * where heads share them, and what leaves it, twice; SwiGLU its gate before and after SiLU, its
   * other half, and their product.
   */
  private static long numbersOfBlock(ModelConfig c) {
    long norms = c.headNorm() ? 3L * (c.queryWidth() + c.kvWidth()) : 0;
    return 6L * c.width() + 5L * c.queryWidth() + c.kvWidth() + 4L * c.feedForward() + norms;
  }

  /**
   * What this machine or container may still give: what is free, or used as a cache of files, less
   * what Java's heap may yet grow by.
   */
  private static long available() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long committed = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
    long growth = Runtime.getRuntime().maxMemory() - committed;
    long own = system.getTotalMemorySize() - committed;
    return Math.min(own, free().orElse(own)) - growth;
  }

  /** {@code MemAvailable} of Linux. */
  private static OptionalLong free() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
      return lines
          .filter(line -> line.startsWith("MemAvailable:"))
          .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst();
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }
}
