package org.vstar.model.transformer;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import org.vstar.env.InputError;

/**
 * The shape of a transformer.
 *
 * @param layers number of blocks
 * @param width width of the residual stream, a multiple of 16
 * @param heads query heads; width / heads is a multiple of 16
 * @param kvHeads key and value heads, a divisor of {@code heads}
 * @param feedForward inner width of SwiGLU, a multiple of 16
 * @param context most tokens of one episode
 * @param ropeTheta base of the rotary frequencies
 * @param normEpsilon added to the mean square in RMSNorm
 * @param qkvBias whether the query, key and value projections have a bias (Qwen2: yes, Llama: no)
 */
public record TransformerConfig(
    @JsonProperty(required = true) int layers,
    @JsonProperty(required = true) int width,
    @JsonProperty(required = true) int heads,
    @JsonProperty(required = true) int kvHeads,
    @JsonProperty(required = true) int feedForward,
    @JsonProperty(required = true) int context,
    @JsonProperty(required = true) double ropeTheta,
    @JsonProperty(required = true) double normEpsilon,
    @JsonProperty(required = true) boolean qkvBias)
    implements Serializable {

  public TransformerConfig {
    InputError.require(layers > 0, "model.layers", layers, "at least 1");
    multipleOf16("model.width", width);
    multipleOf16("model.feedForward", feedForward);
    InputError.require(
        heads > 0 && width % heads == 0 && width / heads % Kernels.LANES == 0,
        "model.heads",
        heads,
        "a number that divides width into heads of a multiple of 16");
    InputError.require(
        kvHeads > 0 && heads % kvHeads == 0, "model.kvHeads", kvHeads, "a divisor of heads");
    InputError.require(context > 1, "model.context", context, "at least 2");
    InputError.require(ropeTheta > 1, "model.ropeTheta", ropeTheta, "more than 1");
    InputError.require(normEpsilon > 0, "model.normEpsilon", normEpsilon, "more than 0");
  }

  private static void multipleOf16(String key, int value) {
    InputError.require(
        value > 0 && value % Kernels.LANES == 0, key, value, "a positive multiple of 16");
  }

  /** Width of one head. */
  @JsonIgnore
  public int headWidth() {
    return width / heads;
  }

  /** Width of the keys, and of the values, of one token. */
  @JsonIgnore
  public int kvWidth() {
    return kvHeads * headWidth();
  }

  /** Width of queries, keys and values of one token, side by side. */
  @JsonIgnore
  public int qkvWidth() {
    return width + 2 * kvWidth();
  }

  /** Vocabulary sizes are padded up to this. */
  public static int padded(int vocabulary) {
    return (vocabulary + Kernels.LANES - 1) / Kernels.LANES * Kernels.LANES;
  }
}
