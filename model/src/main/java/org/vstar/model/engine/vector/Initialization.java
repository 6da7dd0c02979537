package org.vstar.model.engine.vector;

import java.util.SplittableRandom;
import org.vstar.common.FormerKey;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.FlatTensors.Slice;
import org.vstar.model.engine.vector.ParameterLayout.Block;

/**
 * Where training from nothing starts: normal matrices, norm gains 1, biases 0. What goes into the
 * residual stream is scaled down by √(2·layers) as in GPT-2.
 *
 * <p>The output projection of attention starts as the transpose of its values', so that a head at
 * first writes what it reads (mimetic initialization, arXiv 2305.09828): agents copy from the page,
 * and this is learned several times sooner.
 *
 * <p>With {@code inductionHeads}, the two parts of an induction head (arXiv 2209.11895) are built
 * in from the start. In the first block a head attends to the previous token, by its biases alone.
 * In each later block the keys of a head equal its queries, so that it attends to tokens like the
 * present one.
 *
 * @param deviation standard deviation of the matrices
 * @param embeddingDeviation of the embedding. Adam moves the embeddings of rare tokens together,
 *     and a token can be copied only while it differs from others: a large deviation helps
 * @param inductionHeads whether heads start as those of an induction circuit; needs {@code
 *     model.qkvBias}
 */
@FormerKey(value = "copying", now = "inductionHeads")
public record Initialization(double deviation, double embeddingDeviation, boolean inductionHeads) {

  /** By how much the logit of the previous token exceeds all others, at least. */
  private static final double SHARPNESS = 6;

  /** Checks the ranges. */
  public Initialization {
    InvalidInputException.require(
        deviation > 0, "initialization.deviation", deviation, "more than 0");
    InvalidInputException.require(
        embeddingDeviation > 0,
        "initialization.embeddingDeviation",
        embeddingDeviation,
        "more than 0");
  }

  /** Draws all parameters, in the order of {@link ParameterLayout}. */
  public float[] draw(ModelConfig config, int vocabulary, long seed) {
    ParameterLayout layout = new ParameterLayout(config, vocabulary);
    float[] weights = new float[layout.size()];
    SplittableRandom random = new SplittableRandom(seed);
    double intoStream = 1 / Math.sqrt(2.0 * config.layers());
    normal(layout.embedding(), embeddingDeviation, weights, random);
    ones(layout.finalNorm(), weights);
    for (int l = 0; l < config.layers(); l++) {
      Block block = layout.block(l);
      ones(block.attentionNorm(), weights);
      ones(block.feedForwardNorm(), weights);
      if (config.headNorm()) {
        ones(block.queryNorm(), weights);
        ones(block.keyNorm(), weights);
      }
      normal(block.qkv(), deviation, weights, random);
      normal(block.gateUp(), deviation, weights, random);
      normal(block.down(), intoStream * deviation, weights, random);
      transposeValues(config, layout, block, intoStream, weights);
      if (inductionHeads && l == 0) {
        previousTokenHead(config, layout, block, weights);
      } else if (inductionHeads) {
        inductionHead(layout, block, weights);
      }
    }
    if (!config.tied()) {
      normal(layout.head(), deviation, weights, random);
    }
    return withoutPadding(config, vocabulary, weights);
  }

  private static float[] withoutPadding(ModelConfig config, int vocabulary, float[] drawn) {
    float[] weights = new float[drawn.length];
    VectorWeights source = new VectorWeights(config, vocabulary, drawn);
    new ParameterLayout(config, vocabulary).flat().fill(weights, source, "");
    return weights;
  }

  /**
   * Sets the biases of head 0 so that a query matches best the key one position before it: the
   * query's bias is the key's, turned back by one position's rotation.
   */
  private static void previousTokenHead(
      ModelConfig c, ParameterLayout layout, Block block, float[] weights) {
    InvalidInputException.require(
        c.qkvBias() && !c.headNorm(),
        "initialization.inductionHeads",
        true,
        "false, or model.qkvBias: true without model.headNorm");
    int half = c.headWidth() / 2;
    double gap = 0;
    double[] step = new double[half];
    for (int i = 0; i < half; i++) {
      step[i] = StrictMath.pow(c.ropeTheta(), -(double) i / half);
      gap += 1 - StrictMath.cos(step[i]);
    }
    double size = Math.sqrt(SHARPNESS * Math.sqrt(c.headWidth()) / gap);
    for (int i = 0; i < half; i++) {
      int query = block.qkvBias().offset() + i;
      weights[query] = (float) (size * StrictMath.cos(step[i]));
      weights[query + half] = (float) (-size * StrictMath.sin(step[i]));
      weights[query + layout.queryWidth()] = (float) size;
    }
  }

  /** The keys of head 0 become its queries. */
  private static void inductionHead(ParameterLayout layout, Block block, float[] weights) {
    for (int i = 0; i < layout.width(); i++) {
      int row = block.qkv().offset() + i * layout.qkvWidth();
      System.arraycopy(weights, row, weights, row + layout.queryWidth(), layout.headWidth());
    }
  }

  private static void transposeValues(
      ModelConfig c, ParameterLayout layout, Block block, double scale, float[] weights) {
    int headsPerGroup = c.heads() / c.kvHeads();
    int dh = layout.headWidth();
    int d = layout.width();
    int values = block.qkv().offset() + layout.queryWidth() + layout.kvWidth();
    for (int row = 0; row < layout.queryWidth(); row++) {
      int column = row / dh / headsPerGroup * dh + row % dh;
      for (int i = 0; i < d; i++) {
        weights[block.output().offset() + row * d + i] =
            (float) (scale * weights[values + i * layout.qkvWidth() + column]);
      }
    }
  }

  private static void ones(Slice t, float[] weights) {
    java.util.Arrays.fill(weights, t.offset(), t.offset() + t.size(), 1);
  }

  /** Box–Muller over StrictMath, so that all platforms draw the same. */
  private static void normal(Slice t, double scale, float[] weights, SplittableRandom random) {
    for (int i = t.offset(); i < t.offset() + t.size(); i++) {
      double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
      double angle = 2 * StrictMath.PI * random.nextDouble();
      weights[i] = (float) (scale * radius * StrictMath.cos(angle));
    }
  }
}
