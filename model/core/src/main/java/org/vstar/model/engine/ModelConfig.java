package org.vstar.model.engine;

import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * The shape of a decoder-only transformer with RMSNorm, rotary positions, grouped queries and
 * SwiGLU: Llama's, Mistral's, Qwen2's and Qwen3's. Optional keys default to the values of Vstar's
 * own small policies.
 *
 * @param layers number of blocks
 * @param width width of the residual stream
 * @param heads query heads
 * @param kvHeads key and value heads, a divisor of {@code heads}
 * @param feedForward inner width of SwiGLU
 * @param context tokens of one episode, at most
 * @param ropeTheta base of the rotary frequencies
 * @param normEpsilon added to the mean square in RMSNorm
 * @param qkvBias whether the query, key and value projections have a bias (Qwen2: yes, Llama: no)
 * @param headWidth width of one head, an even number; width / heads without it
 * @param headNorm whether each head's query and key are normed (Qwen3: yes)
 * @param outputBias whether attention's output projection has a bias
 * @param feedForwardBias whether SwiGLU's projections have a bias
 * @param tied whether the output head is the embedding
 * @param ropeScaling how rotary frequencies are stretched; not at all without it
 */
public record ModelConfig(
    int layers,
    int width,
    int heads,
    int kvHeads,
    int feedForward,
    int context,
    double ropeTheta,
    @Default("1.0e-5") double normEpsilon,
    @Default("false") boolean qkvBias,
    @OptionalKey Integer headWidth,
    @Default("false") boolean headNorm,
    @Default("false") boolean outputBias,
    @Default("false") boolean feedForwardBias,
    @Default("true") boolean tied,
    @OptionalKey RopeScaling ropeScaling)
    implements Serializable {

  private static final int MOST_LAYERS = 1000;
  private static final int MOST = 1 << 24;

  /** Checks the ranges. */
  public ModelConfig {
    InvalidInputException.require(
        layers > 0 && layers <= MOST_LAYERS, "model.layers", layers, "1 to " + MOST_LAYERS);
    positive("model.width", width);
    positive("model.feedForward", feedForward);
    InvalidInputException.require(
        heads > 0 && heads <= width && (headWidth != null || width % heads == 0),
        "model.heads",
        heads,
        "a divisor of width, or model.headWidth too");
    headWidth = headWidth == null ? Integer.valueOf(width / heads) : headWidth;
    InvalidInputException.require(
        headWidth > 0 && headWidth % 2 == 0 && (long) heads * headWidth <= MOST,
        "model.headWidth",
        headWidth,
        "an even number: rotary positions turn pairs");
    InvalidInputException.require(
        kvHeads > 0 && heads % kvHeads == 0, "model.kvHeads", kvHeads, "a divisor of heads");
    InvalidInputException.require(
        context > 1 && context <= MOST, "model.context", context, "2 to " + MOST);
    InvalidInputException.require(ropeTheta > 1, "model.ropeTheta", ropeTheta, "more than 1");
    InvalidInputException.require(normEpsilon > 0, "model.normEpsilon", normEpsilon, "more than 0");
  }

  /** The shape of a small policy of Vstar's own: all that may be left out is. */
  public ModelConfig(
      int layers,
      int width,
      int heads,
      int kvHeads,
      int feedForward,
      int context,
      double ropeTheta,
      double normEpsilon,
      boolean qkvBias) {
    this(
        layers,
        width,
        heads,
        kvHeads,
        feedForward,
        context,
        ropeTheta,
        normEpsilon,
        qkvBias,
        null,
        false,
        false,
        false,
        true,
        null);
  }

  private static void positive(String key, int value) {
    InvalidInputException.require(value > 0 && value <= MOST, key, value, "1 to " + MOST);
  }

  /** Width of the queries of one token. */
  public int queryWidth() {
    return heads * headWidth;
  }

  /** Width of the keys, and of the values, of one token. */
  public int kvWidth() {
    return kvHeads * headWidth;
  }

  /**
   * Radians by which one position turns each pair of a head: element i pairs with element i +
   * headWidth / 2 (RoFormer, arXiv 2104.09864, in Hugging Face's order).
   */
  public double[] ropeFrequencies() {
    double[] frequencies = new double[headWidth / 2];
    for (int i = 0; i < frequencies.length; i++) {
      double frequency = StrictMath.pow(ropeTheta, -(double) i / frequencies.length);
      frequencies[i] = ropeScaling == null ? frequency : ropeScaling.of(frequency);
    }
    return frequencies;
  }

  /** What a policy's fingerprint is taken of; what may be left out and is, is left out here too. */
  public CanonicalJson canonical() {
    CanonicalJson canonical =
        CanonicalJson.of("model", 1)
            .with("layers", layers)
            .with("width", width)
            .with("heads", heads)
            .with("kvHeads", kvHeads)
            .with("feedForward", feedForward)
            .with("context", context)
            .with("ropeTheta", ropeTheta)
            .with("normEpsilon", normEpsilon)
            .with("qkvBias", qkvBias);
    if (headWidth * heads != width) {
      canonical.with("headWidth", headWidth);
    }
    if (headNorm) {
      canonical.with("headNorm", true);
    }
    if (outputBias) {
      canonical.with("outputBias", true);
    }
    if (feedForwardBias) {
      canonical.with("feedForwardBias", true);
    }
    if (!tied) {
      canonical.with("tied", false);
    }
    if (ropeScaling != null) {
      canonical.with("ropeScaling", ropeScaling.canonical());
    }
    return canonical;
  }
}
