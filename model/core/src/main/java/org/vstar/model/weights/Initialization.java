package org.vstar.model.weights;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout.Block;

/**
 * Where training from nothing starts: normal matrices, norm gains 1, biases 0. What goes into the
 * residual stream is scaled down by √(2·layers) as in GPT-2.
 *
 * <p>The output projection of attention starts as the transpose of its values', so that a head at
 * first writes what it reads (mimetic initialization, arXiv 2305.09828): agents copy from the page,
 * and this is learned several times sooner.
 *
 * <p>With {@code inductionHeads}, some heads are an induction circuit instead: {@link
 * InductionCircuit}. So a policy repeats what it has read before it has learned anything.
 *
 * @param deviation standard deviation of the matrices
 * @param embeddingDeviation of the embedding. Adam moves the embeddings of rare tokens together,
 *     and a token can be copied only while it differs from others: a large deviation helps
 * @param inductionHeads whether heads start as those of an induction circuit; needs {@code
 *     model.qkvBias}, {@code model.tied}, no {@code model.headNorm}, two layers, and a {@code
 *     model.ropeTheta} so large that some pairs of a head's width turn by less than two radians
 *     within {@code model.context}: only these can compare tokens that are far apart
 * @param orderedNumbers whether the embeddings of two numbers start the more alike the closer their
 *     ratio is to 1, so that training on one number carries over to the next
 */
@FormerKey(value = "copying", now = "inductionHeads")
public record Initialization(
    @Default("0.09") double deviation,
    @Default("0.3") double embeddingDeviation,
    @Default("false") boolean inductionHeads,
    @Default("false") boolean orderedNumbers) {

  /** How much of a number's embedding it shares with its neighbours. */
  private static final double SHARED = 0.5;

  /** Numbers whose ratio is e to this power share about a third of it. */
  private static final double REACH = 0.5;

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

  /** Without the order of numbers. */
  public Initialization(double deviation, double embeddingDeviation, boolean inductionHeads) {
    this(deviation, embeddingDeviation, inductionHeads, false);
  }

  /**
   * Draws a model.
   *
   * @param numbers for each token the whole number that it writes, or -1
   */
  public WeightSource weights(ModelConfig config, int[] numbers, long seed) {
    return new FlatWeights(config, numbers.length, draw(config, numbers, seed));
  }

  /** Draws for tokens that are no numbers. */
  public float[] draw(ModelConfig config, int vocabulary, long seed) {
    int[] none = new int[vocabulary];
    Arrays.fill(none, -1);
    return draw(config, none, seed);
  }

  /**
   * Draws all parameters, in the order of {@link ParameterLayout}.
   *
   * @param numbers for each token the whole number that it writes, or -1
   */
  public float[] draw(ModelConfig config, int[] numbers, long seed) {
    int vocabulary = numbers.length;
    ParameterLayout layout = new ParameterLayout(config, vocabulary);
    float[] weights = new float[layout.size()];
    SplittableRandom random = Seeds.random(seed, "weights");
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
    if (orderedNumbers) {
      order(numbers, layout, weights, random.split());
    }
    if (inductionHeads) {
      new InductionCircuit(config, layout, weights).build(embeddingDeviation, random.split());
    }
    if (!config.tied()) {
      normal(layout.head(), deviation, weights, random);
    }
    return withoutPadding(config, vocabulary, weights);
  }

  private static float[] withoutPadding(ModelConfig config, int vocabulary, float[] drawn) {
    float[] weights = new float[drawn.length];
    FlatWeights source = new FlatWeights(config, vocabulary, drawn);
    new ParameterLayout(config, vocabulary).flat().fill(weights, source, "");
    return weights;
  }

  /** Mixes embeddings of numbers with a random walk along their logarithm. */
  private void order(int[] numbers, ParameterLayout layout, float[] weights, SplittableRandom r) {
    SortedMap<Integer, List<Integer>> tokens = new TreeMap<>();
    for (int token = 0; token < numbers.length; token++) {
      if (numbers[token] >= 0) {
        tokens.computeIfAbsent(numbers[token], n -> new ArrayList<>()).add(token);
      }
    }
    int width = layout.width();
    double[] walk = new double[width];
    double at = Double.NEGATIVE_INFINITY;
    for (int number : tokens.keySet()) {
      double position = StrictMath.log1p(number);
      double kept = StrictMath.exp((at - position) / REACH);
      at = position;
      for (int i = 0; i < width; i++) {
        walk[i] =
            kept * walk[i] + Gaussian.draw(Math.sqrt(1 - kept * kept) * embeddingDeviation, r);
        for (int token : tokens.get(number)) {
          int place = layout.embedding().offset() + token * width + i;
          weights[place] =
              (float) (Math.sqrt(1 - SHARED) * weights[place] + Math.sqrt(SHARED) * walk[i]);
        }
      }
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
    Arrays.fill(weights, t.offset(), t.offset() + t.size(), 1);
  }

  private static void normal(Slice t, double scale, float[] weights, SplittableRandom random) {
    for (int i = t.offset(); i < t.offset() + t.size(); i++) {
      weights[i] = (float) Gaussian.draw(scale, random);
    }
  }
}
