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
 * in from the start. In the first block the heads of group g, counted from 0, attend to the token g
 * + 1 before, by their biases alone, and write it into a subspace of their own. In the second block
 * the heads of group g look there for the token g before the present one: they attend to what
 * followed it, and write that. All else starts quiet. So a policy repeats what it has read before
 * it has learned anything.
 *
 * @param deviation standard deviation of the matrices
 * @param embeddingDeviation of the embedding. Adam moves the embeddings of rare tokens together,
 *     and a token can be copied only while it differs from others: a large deviation helps
 * @param inductionHeads whether heads start as those of an induction circuit; needs {@code
 *     model.qkvBias}, two layers, and a {@code model.ropeTheta} so large that some pairs of a
 *     head's width turn by less than two radians within {@code model.context}: only these can
 *     compare tokens that are far apart
 */
@FormerKey(value = "copying", now = "inductionHeads")
public record Initialization(double deviation, double embeddingDeviation, boolean inductionHeads) {

  /** By how much the logit of the previous token exceeds all others, at least. */
  private static final double SHARPNESS = 6;

  /** The logit of a token that followed the present one before, on average. */
  private static final double MATCH = 20;

  /** How much louder an induction head writes than other heads, to outdo the present token. */
  private static final double LOUD = 6;

  /** How much all else is scaled down that writes into the residual stream. */
  private static final double QUIET = 0.1;

  /**
   * Pairs of a head's width that turn by no more than this, in radians within a context, compare.
   */
  private static final double SLOW = 2;

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
    }
    if (inductionHeads) {
      inductionCircuit(config, layout, weights, random.split());
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

  private void inductionCircuit(
      ModelConfig c, ParameterLayout layout, float[] weights, SplittableRandom random) {
    int slow = firstSlowPair(c);
    InvalidInputException.require(
        c.qkvBias() && !c.headNorm() && c.layers() > 1 && slow < c.headWidth() / 2,
        "initialization.inductionHeads",
        true,
        "false, or model.qkvBias: true without model.headNorm, at least 2 layers and a large"
            + " model.ropeTheta, such as 1.0e8");
    for (int l = 0; l < c.layers(); l++) {
      scale(layout.block(l).output(), QUIET, weights);
      scale(layout.block(l).down(), QUIET, weights);
    }
    scale(layout.block(1).output(), LOUD / QUIET, weights);
    for (int group = 0; group < c.kvHeads(); group++) {
      lookBack(c, layout, group, weights);
      normal(written(c, layout, group), writing(c), weights, random);
      compare(c, layout, group, slow, weights);
    }
  }

  /**
   * In the first block the heads of group g attend to the token g + 1 positions before, sharply: a
   * query's bias is the key's, turned back. All groups read the same of it.
   */
  private static void lookBack(ModelConfig c, ParameterLayout layout, int group, float[] weights) {
    int half = c.headWidth() / 2;
    int dh = layout.headWidth();
    Block block = layout.block(0);
    double gap = 0;
    for (int i = 0; i < half; i++) {
      gap += 1 - StrictMath.cos(turn(c, i));
    }
    double size = Math.sqrt(SHARPNESS * Math.sqrt(c.headWidth()) / gap);
    int sharing = c.heads() / c.kvHeads();
    for (int h = group * sharing; h < (group + 1) * sharing; h++) {
      clear(layout, h * dh, weights);
      for (int i = 0; i < half; i++) {
        int bias = block.qkvBias().offset() + h * dh + i;
        weights[bias] = (float) (size * StrictMath.cos((group + 1) * turn(c, i)));
        weights[bias + half] = (float) (-size * StrictMath.sin((group + 1) * turn(c, i)));
      }
    }
    int keys = layout.queryWidth() + group * dh;
    clear(layout, keys, weights);
    for (int i = 0; i < half; i++) {
      weights[block.qkvBias().offset() + keys + i] = (float) size;
    }
    int values = layout.queryWidth() + layout.kvWidth();
    for (int i = 0; i < layout.width(); i++) {
      int row = block.qkv().offset() + i * layout.qkvWidth() + values;
      System.arraycopy(weights, row, weights, row + group * dh, dh);
    }
  }

  /** Clears the weights of a head's queries or keys in the first block, from a column on. */
  private static void clear(ParameterLayout layout, int column, float[] weights) {
    for (int i = 0; i < layout.width(); i++) {
      int from = layout.block(0).qkv().offset() + i * layout.qkvWidth() + column;
      java.util.Arrays.fill(weights, from, from + layout.headWidth(), 0);
    }
  }

  /** Where the first head of a group in the first block writes: a subspace of its own. */
  private static Slice written(ModelConfig c, ParameterLayout layout, int group) {
    int headSize = layout.headWidth() * layout.width();
    int head = group * (c.heads() / c.kvHeads());
    return new Slice(1, headSize, layout.block(0).output().offset() + head * headSize);
  }

  private double writing(ModelConfig c) {
    return deviation / Math.sqrt(2.0 * c.layers());
  }

  /**
   * In the second block keys of group g are what the first block wrote of the token g + 1 before,
   * and queries are what it wrote of the token g before. With g = 0 that is the present token, as
   * the first block's values have it.
   */
  private void compare(
      ModelConfig c, ParameterLayout layout, int group, int slow, float[] weights) {
    Slice first = layout.block(0).qkv();
    int d = layout.width();
    int dh = layout.headWidth();
    int half = c.headWidth() / 2;
    int sharing = c.heads() / c.kvHeads();
    double gain = gain(c, group, 2 * (half - slow));
    for (int i = 0; i < d; i++) {
      int from = first.offset() + i * layout.qkvWidth() + layout.queryWidth() + layout.kvWidth();
      int to = layout.block(1).qkv().offset() + i * layout.qkvWidth();
      for (int j = 0; j < c.headWidth(); j++) {
        double on = j % half >= slow ? gain : 0;
        double query =
            group == 0
                ? weights[from + j]
                : weights[written(c, layout, group - 1).offset() + j * d + i];
        for (int h = group * sharing; h < (group + 1) * sharing; h++) {
          weights[to + h * dh + j] = (float) (on * query);
        }
        double key = weights[written(c, layout, group).offset() + j * d + i];
        weights[to + layout.queryWidth() + group * dh + j] = (float) (on * key);
      }
    }
  }

  /**
   * What queries and keys have to be multiplied by for the logit of a match to be {@link #MATCH}.
   */
  private double gain(ModelConfig c, int group, int compared) {
    double d = c.width();
    double value = deviation * Math.sqrt(d);
    double previous = value * writing(c) * Math.sqrt((double) c.kvHeads() * c.headWidth());
    double norm = Math.hypot(embeddingDeviation, previous);
    double key = writing(c) * writing(c) * d * value / norm;
    double query = group == 0 ? value * embeddingDeviation / norm : key;
    return Math.sqrt(MATCH * Math.sqrt(c.headWidth()) / (compared * query * key));
  }

  /** The first pair of a head's width that compares; pairs behind it turn more slowly. */
  private static int firstSlowPair(ModelConfig c) {
    int pair = 0;
    while (pair < c.headWidth() / 2 && turn(c, pair) * c.context() > SLOW) {
      pair++;
    }
    return pair;
  }

  /** By how many radians a pair of a head's width turns at each position. */
  private static double turn(ModelConfig c, int pair) {
    return StrictMath.pow(c.ropeTheta(), -2.0 * pair / c.headWidth());
  }

  private static void scale(Slice t, double by, float[] weights) {
    for (int i = t.offset(); i < t.offset() + t.size(); i++) {
      weights[i] *= (float) by;
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
