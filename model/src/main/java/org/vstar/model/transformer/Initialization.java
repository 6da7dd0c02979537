package org.vstar.model.transformer;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.SplittableRandom;
import org.vstar.env.InputError;
import org.vstar.model.transformer.ParameterLayout.Block;
import org.vstar.model.transformer.ParameterLayout.Tensor;

/**
 * Where training from nothing starts: normal matrices, norm gains 1, biases 0. What goes into the
 * residual stream is scaled down by √(2·layers) as in GPT-2.
 *
 * <p>The output projection of attention starts as the transpose of its values', so that a head at
 * first writes what it reads (mimetic initialization, arXiv 2305.09828): agents copy from the page,
 * and this is learned several times sooner.
 *
 * <p>With {@code copying}, two more things that a copying head needs are there from the start: in
 * the first block a head that looks at the token before, whatever it is (by its biases alone), and
 * in the later ones a head whose keys are its queries, so that it looks for what is like the
 * present token.
 *
 * @param deviation standard deviation of the matrices
 * @param embeddingDeviation of the embedding. Adam moves the embeddings of rare tokens together,
 *     and a token is copied only while it is told apart from others, so that this is better large
 * @param copying whether heads begin as those of a copying circuit; needs {@code model.qkvBias}
 */
public record Initialization(
    @JsonProperty(required = true) double deviation,
    @JsonProperty(required = true) double embeddingDeviation,
    @JsonProperty(required = true) boolean copying) {

  /** Logit by which the head that looks at the token before prefers it to the others, at least. */
  private static final double SHARPNESS = 6;

  public Initialization {
    InputError.require(deviation > 0, "initialization.deviation", deviation, "more than 0");
    InputError.require(
        embeddingDeviation > 0,
        "initialization.embeddingDeviation",
        embeddingDeviation,
        "more than 0");
  }

  /** Draws all parameters, in the order of {@link ParameterLayout}. */
  public float[] draw(TransformerConfig config, int vocabulary, long seed) {
    ParameterLayout layout = new ParameterLayout(config, TransformerConfig.padded(vocabulary));
    float[] weights = new float[layout.size()];
    SplittableRandom random = new SplittableRandom(seed);
    double intoStream = 1 / Math.sqrt(2.0 * config.layers());
    normal(layout.embedding(), embeddingDeviation, weights, random);
    ones(layout.finalNorm(), weights);
    for (int l = 0; l < config.layers(); l++) {
      Block block = layout.block(l);
      ones(block.attentionNorm(), weights);
      ones(block.feedForwardNorm(), weights);
      normal(block.qkv(), deviation, weights, random);
      normal(block.gateUp(), deviation, weights, random);
      normal(block.down(), intoStream * deviation, weights, random);
      transposeValues(config, block, intoStream, weights);
      if (copying && l == 0) {
        lookAtTheTokenBefore(config, block, weights);
      } else if (copying) {
        lookForTheLike(config, block, weights);
      }
    }
    return weights;
  }

  /**
   * Biases of head 0 whose product is greatest one token back: a query's phases are behind a key's
   * by what one step turns them.
   */
  private static void lookAtTheTokenBefore(TransformerConfig c, Block block, float[] weights) {
    InputError.require(
        block.bias() != null, "initialization.copying", true, "false, or model.qkvBias: true");
    int half = c.headWidth() / 2;
    double gap = 0;
    double[] step = new double[half];
    for (int i = 0; i < half; i++) {
      step[i] = StrictMath.pow(c.ropeTheta(), -(double) i / half);
      gap += 1 - StrictMath.cos(step[i]);
    }
    double size = Math.sqrt(SHARPNESS * Math.sqrt(c.headWidth()) / gap);
    for (int i = 0; i < half; i++) {
      int query = block.bias().offset() + i;
      weights[query] = (float) (size * StrictMath.cos(step[i]));
      weights[query + half] = (float) (-size * StrictMath.sin(step[i]));
      weights[query + c.width()] = (float) size;
    }
  }

  /** The keys of head 0 become its queries. */
  private static void lookForTheLike(TransformerConfig c, Block block, float[] weights) {
    for (int i = 0; i < c.width(); i++) {
      int row = block.qkv().offset() + i * c.qkvWidth();
      System.arraycopy(weights, row, weights, row + c.width(), c.headWidth());
    }
  }

  private static void transposeValues(
      TransformerConfig c, Block block, double scale, float[] weights) {
    int headsPerGroup = c.heads() / c.kvHeads();
    int values = block.qkv().offset() + c.width() + c.kvWidth();
    for (int row = 0; row < c.width(); row++) {
      int group = row / c.headWidth() / headsPerGroup;
      int column = group * c.headWidth() + row % c.headWidth();
      for (int i = 0; i < c.width(); i++) {
        weights[block.output().offset() + row * c.width() + i] =
            (float) (scale * weights[values + i * c.qkvWidth() + column]);
      }
    }
  }

  private static void ones(Tensor t, float[] weights) {
    java.util.Arrays.fill(weights, t.offset(), t.offset() + t.size(), 1);
  }

  /** Box–Muller over StrictMath, so that all platforms draw the same. */
  private static void normal(Tensor t, double scale, float[] weights, SplittableRandom random) {
    for (int i = t.offset(); i < t.offset() + t.size(); i++) {
      double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
      double angle = 2 * StrictMath.PI * random.nextDouble();
      weights[i] = (float) (scale * radius * StrictMath.cos(angle));
    }
  }
}
