package org.vstar.model.engine;

import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon), as every engine computes it. With
 * gradient g, momentum μ and rate η, a matrix W of a block takes the step
 *
 * <pre>
 *   m ← μ·m + (1 − μ)·g        x = μ·m + (1 − μ)·g        (Nesterov's momentum)
 *   x ← x / (‖x‖ + 1e-7), then five times x ← A·x + (B·G + C·G²)·x with G = xxᵀ
 *   W ← (1 − η·decay)·W − η·0.2·√max(rows, columns)·x
 * </pre>
 *
 * where x lies so that it has no more rows than columns. The iteration brings singular values near
 * 1: those above a two-hundredth of the norm become 0.68 to 1.14, smaller ones grow up to 485-fold.
 * The factor makes a step as large as AdamW's usually is, so that one rate serves both (arXiv
 * 2502.16982). Embedding, output head, gains and biases take AdamW's steps.
 */
public final class MuonRule {

  /** Newton–Schulz steps. */
  public static final int STEPS = 5;

  /** The coefficient of x. */
  public static final float A = 3.4445f;

  /** The coefficient of (xxᵀ)x. */
  public static final float B = -4.7750f;

  /** The coefficient of (xxᵀ)²x. */
  public static final float C = 2.0315f;

  /** Keeps a matrix of zeros. */
  public static final double TINY = 1e-7;

  private static final double SIZE_OF_ADAMW = 0.2;

  private MuonRule() {}

  /** Whether Muon steps a tensor: a matrix of a block. */
  public static boolean steps(Tensor tensor) {
    return tensor.isMatrix() && ModelTensors.isOfBlock(tensor.name());
  }

  /** The size of a step, in rates. */
  public static double size(int rows, int columns) {
    return SIZE_OF_ADAMW * Math.sqrt(Math.max(rows, columns));
  }

  /**
   * Refuses Muon for an adapter.
   *
   * @throws InvalidInputException if the config asks for it
   */
  public static void requireNoAdapter(OptimizerConfig config, boolean adapted) {
    InvalidInputException.require(
        !config.muon() || !adapted,
        "optimizer.momentum",
        config.momentum(),
        "no such key: Muon steps the matrices of the blocks, which an adapter leaves as they are");
  }
}
