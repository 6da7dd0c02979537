package org.vstar.model.engine;

import java.io.Serializable;
import org.vstar.common.InvalidInputException;

/**
 * How much of a machine an engine may use. Results do not depend on threads; micro-batches may
 * change a gradient's last digits.
 *
 * @param threads threads that score and differentiate side by side
 * @param microBatchTokens tokens that go through the model at once in a thread
 */
public record EngineOptions(int threads, int microBatchTokens) implements Serializable {

  /** One thread: what an executor's task has. */
  public static final EngineOptions ONE_THREAD = new EngineOptions(1, 1024);

  /** Checks the ranges. */
  public EngineOptions {
    InvalidInputException.require(threads > 0, "threads", threads, "at least 1");
    InvalidInputException.require(
        microBatchTokens > 0, "microBatchTokens", microBatchTokens, "at least 1");
  }
}
