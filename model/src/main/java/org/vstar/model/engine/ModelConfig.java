package org.vstar.model.engine;

import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;

/**
 * The shape of a transformer.
 *
 * @param layers number of blocks
 * @param width width of the residual stream, a multiple of 16
 * @param heads query heads; width / heads is a multiple of 16
 * @param kvHeads key and value heads, a divisor of {@code heads}
 * @param feedForward inner width of SwiGLU, a multiple of 16
 * @param context tokens of one episode, at most
 * @param ropeTheta base of the rotary frequencies
 * @param normEpsilon added to the mean square in RMSNorm
 * @param qkvBias whether the query, key and value projections have a bias (Qwen2: yes, Llama: no)
 */
public record ModelConfig(
    int layers,
    int width,
    int heads,
    int kvHeads,
    int feedForward,
    int context,
    double ropeTheta,
    double normEpsilon,
    boolean qkvBias)
    implements Serializable {

  private static final int MULTIPLE = 16;
  private static final int MOST_LAYERS = 1000;

  /** Checks the ranges. */
  public ModelConfig {
    InvalidInputException.require(
        layers > 0 && layers <= MOST_LAYERS, "model.layers", layers, "1 to " + MOST_LAYERS);
    multipleOf16("model.width", width);
    multipleOf16("model.feedForward", feedForward);
    InvalidInputException.require(
        heads > 0 && width % heads == 0 && width / heads % MULTIPLE == 0,
        "model.heads",
        heads,
        "a number that divides width into heads of a multiple of 16");
    InvalidInputException.require(
        kvHeads > 0 && heads % kvHeads == 0, "model.kvHeads", kvHeads, "a divisor of heads");
    InvalidInputException.require(context > 1, "model.context", context, "at least 2");
    InvalidInputException.require(ropeTheta > 1, "model.ropeTheta", ropeTheta, "more than 1");
    InvalidInputException.require(normEpsilon > 0, "model.normEpsilon", normEpsilon, "more than 0");
  }

  private static void multipleOf16(String key, int value) {
    InvalidInputException.require(
        value > 0 && value % MULTIPLE == 0, key, value, "a positive multiple of 16");
  }

  /** Width of one head. */
  public int headWidth() {
    return width / heads;
  }

  /** Width of the keys, and of the values, of one token. */
  public int kvWidth() {
    return kvHeads * headWidth();
  }

  /** Width of queries, keys and values of one token, side by side. */
  public int qkvWidth() {
    return width + 2 * kvWidth();
  }

  /** What a policy's fingerprint is taken of. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("model", 1)
        .with("layers", layers)
        .with("width", width)
        .with("heads", heads)
        .with("kvHeads", kvHeads)
        .with("feedForward", feedForward)
        .with("context", context)
        .with("ropeTheta", ropeTheta)
        .with("normEpsilon", normEpsilon)
        .with("qkvBias", qkvBias);
  }
}
