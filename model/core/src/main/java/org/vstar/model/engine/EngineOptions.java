package org.vstar.model.engine;

import java.io.Serializable;
import java.util.regex.Pattern;
import org.vstar.common.InvalidInputException;

/**
 * What an engine runs on, and how much of it. Results do not depend on threads; micro-batches may
 * change a gradient's last digits.
 *
 * @param threads threads that score and differentiate side by side
 * @param microBatchTokens tokens that go through the model at once in a thread
 * @param device {@code auto} (a GPU if the engine knows one and there is one), {@code cpu}, or
 *     {@code cuda:N}
 * @param dtype of the computation; trained parameters stay float32
 * @param checkpointing whether a block's activations are made again in the backward pass instead of
 *     kept: less memory, a third more time
 */
public record EngineOptions(
    int threads, int microBatchTokens, String device, DType dtype, boolean checkpointing)
    implements Serializable {

  /** Whatever there is. */
  public static final String AUTO = "auto";

  /** The processor. */
  public static final String CPU = "cpu";

  private static final Pattern DEVICE = Pattern.compile("auto|cpu|cuda:\\d{1,3}");

  /** One thread: what an executor's task has. */
  public static final EngineOptions ONE_THREAD = new EngineOptions(1, 1024);

  /** Checks the ranges. */
  public EngineOptions {
    InvalidInputException.require(threads > 0, "threads", threads, "at least 1");
    InvalidInputException.require(
        microBatchTokens > 0, "microBatchTokens", microBatchTokens, "at least 1");
    InvalidInputException.require(
        DEVICE.matcher(device).matches(), "device", device, "auto, cpu or cuda:N");
  }

  /** Float32 on whatever device there is. */
  public EngineOptions(int threads, int microBatchTokens) {
    this(threads, microBatchTokens, AUTO, DType.FLOAT32, false);
  }

  /** The same with other tokens of a micro-batch. */
  public EngineOptions inMicroBatchesOf(int tokens) {
    return new EngineOptions(threads, tokens, device, dtype, checkpointing);
  }

  /** The same, but activations are made again. */
  public EngineOptions withCheckpointing() {
    return new EngineOptions(threads, microBatchTokens, device, dtype, true);
  }

  /** The same on another device, and in another type. */
  public EngineOptions on(String otherDevice, DType otherType) {
    return new EngineOptions(threads, microBatchTokens, otherDevice, otherType, checkpointing);
  }
}
