package org.vstar.model.weights;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.weights.FlatTensors.Slice;

/**
 * Writes an induction circuit (arXiv 2209.11895) into drawn weights, with the first head of each
 * group of heads.
 *
 * <p>In the first block the head of group g, counted from 0, attends to the token g + 1 before, by
 * its biases alone, and writes a code of it into a place of its own in the residual stream. In the
 * second block that head compares: its keys are the codes of the 1 to g + 1 tokens before, its
 * queries those of the present token and the g before it. So it attends to what followed the same
 * tokens: more where more of them are the same, and, of equals, to the nearest. It writes that
 * token. Nearness counts within half of a context; farther back, its pairs begin to turn again.
 *
 * <p>The residual stream is parted at the start, so that codes are read with little noise: its
 * first elements, half of them or more, are tokens' own, the others are places for codes. All else
 * starts quiet.
 */
final class InductionCircuit {

  /** By how much the logit of the token looked back at exceeds all others, at least. */
  private static final double SHARPNESS = 6;

  /** The logit that each token adds that is the same. */
  private static final double MATCH = 20;

  /** The logit that nearness adds at most, for each pair that measures it. */
  private static final double NEAR = 3;

  /** Pairs of a head's width that measure nearness: the slowest of those that do not compare. */
  private static final int NEARNESS_PAIRS = 3;

  /** How much all else is scaled down that writes into the residual stream. */
  private static final double QUIET = 0.1;

  /**
   * Pairs of a head's width that turn by no more than this, in radians within a context, compare.
   */
  private static final double SLOW = 2;

  private final ModelConfig c;
  private final ParameterLayout layout;
  private final float[] weights;
  private final int half;

  /** By how many radians each pair of a head's width turns at a position. */
  private final double[] turns;

  /** The first pair that compares; those behind it turn more slowly. */
  private final int slow;

  /** Elements of a code. */
  private final int compared;

  /** Elements of the residual stream that are tokens' own. */
  private final int own;

  InductionCircuit(ModelConfig c, ParameterLayout layout, float[] weights) {
    this.c = c;
    this.layout = layout;
    this.weights = weights;
    half = c.headWidth() / 2;
    turns = c.ropeFrequencies();
    slow = firstSlowPair();
    InvalidInputException.require(
        c.qkvBias() && !c.headNorm() && c.tied() && c.layers() > 1 && slow < half,
        "initialization.inductionHeads",
        true,
        "false, or model.qkvBias: true without model.headNorm, model.tied: true, at least 2"
            + " layers and a large model.ropeTheta, such as 1.0e8");
    compared = Math.min(2 * (half - slow), c.width() / 2 / c.kvHeads());
    own = c.width() - c.kvHeads() * compared;
  }

  /**
   * Writes the circuit.
   *
   * @param loudness of codes: that of the embedding
   */
  void build(double loudness, SplittableRandom random) {
    for (int l = 0; l < c.layers(); l++) {
      quieten(layout.block(l).output());
      quieten(layout.block(l).down());
    }
    Slice embedding = layout.embedding();
    for (int token = 0; token < embedding.rows(); token++) {
      clear(embedding, token, own, c.width());
    }
    double[][] code = code(random);
    for (int group = 0; group < c.kvHeads(); group++) {
      lookBack(group);
      writeCodes(group, code, loudness);
      compare(group, code);
      preferTheNear(group);
      copy(group);
    }
  }

  /** What makes codes of tokens, own × compared: of deviation 1, from a stream without codes. */
  private double[][] code(SplittableRandom random) {
    double[][] code = new double[own][compared];
    for (double[] row : code) {
      Arrays.setAll(row, k -> Gaussian.draw(1 / Math.sqrt(c.width()), random));
    }
    return code;
  }

  /** A query's bias is the key's, turned back by g + 1 positions. */
  private void lookBack(int group) {
    double gap = 0;
    for (int i = 0; i < half; i++) {
      gap += 1 - StrictMath.cos(turns[i]);
    }
    double size = Math.sqrt(SHARPNESS * Math.sqrt(c.headWidth()) / gap);
    int query = queries(group);
    int key = keys(group);
    clearColumns(0, query, layout.headWidth());
    clearColumns(0, key, layout.headWidth());
    for (int i = 0; i < half; i++) {
      bias(0, query + i, size * StrictMath.cos((group + 1) * turns[i]));
      bias(0, query + i + half, -size * StrictMath.sin((group + 1) * turns[i]));
      bias(0, key + i, size);
    }
  }

  private void writeCodes(int group, double[][] code, double loudness) {
    int value = values(group);
    clearColumns(0, value, compared);
    for (int k = 0; k < compared; k++) {
      for (int i = 0; i < own; i++) {
        weights[qkv(0, i, value + k)] = (float) code[i][k];
      }
      output(0, row(group, k), place(group, k), loudness);
    }
  }

  /** Codes of other tokens lie turned in a head's elements, so that they are not mixed up. */
  private void compare(int group, double[][] code) {
    double unit = Math.sqrt(MATCH * Math.sqrt(c.headWidth()) / compared);
    // Codes fill the stream now, and its norm leaves less of a token.
    double present = unit * Math.sqrt((double) c.width() / own);
    int query = queries(group);
    int key = keys(group);
    clearColumns(1, query, layout.headWidth());
    clearColumns(1, key, layout.headWidth());
    for (int back = 0; back <= group; back++) {
      for (int k = 0; k < compared; k++) {
        int element = element((k + back * compared / c.kvHeads()) % compared);
        weights[qkv(1, place(back, k), key + element)] = (float) unit;
        if (back > 0) {
          weights[qkv(1, place(back - 1, k), query + element)] = (float) unit;
        } else {
          for (int i = 0; i < own; i++) {
            weights[qkv(1, i, query + element)] = (float) (present * code[i][k]);
          }
        }
      }
    }
  }

  private void preferTheNear(int group) {
    double size = Math.sqrt(NEAR * Math.sqrt(c.headWidth()));
    for (int i = Math.max(0, slow - NEARNESS_PAIRS); i < slow; i++) {
      bias(1, queries(group) + i, size);
      bias(1, keys(group) + i, size);
    }
  }

  /** Values are tokens as they are; a group whose head is too narrow for all takes the next. */
  private void copy(int group) {
    clearColumns(1, values(group), layout.headWidth());
    for (int k = 0; k < Math.min(c.headWidth(), own); k++) {
      int element = (group * c.headWidth() + k) % own;
      weights[qkv(1, element, values(group) + k)] = 1;
      output(1, row(group, k), element, 1);
    }
  }

  /** The k-th element of a head that compares: the slowest first, pair by pair. */
  private int element(int k) {
    return half - 1 - k / 2 + k % 2 * half;
  }

  /** Where in the residual stream the k-th element of a group's code is. */
  private int place(int group, int k) {
    return own + group * compared + k;
  }

  /** The row of an output projection that the k-th value of a group's first head meets. */
  private int row(int group, int k) {
    return queries(group) + k;
  }

  /** Where the queries of a group's first head begin. */
  private int queries(int group) {
    return group * (c.heads() / c.kvHeads()) * layout.headWidth();
  }

  private int keys(int group) {
    return layout.queryWidth() + group * layout.headWidth();
  }

  private int values(int group) {
    return layout.queryWidth() + layout.kvWidth() + group * layout.headWidth();
  }

  private int qkv(int block, int input, int column) {
    return layout.block(block).qkv().offset() + input * layout.qkvWidth() + column;
  }

  private void bias(int block, int column, double value) {
    weights[layout.block(block).qkvBias().offset() + column] = (float) value;
  }

  /** Lets a row of an output projection write one element only. */
  private void output(int block, int row, int element, double value) {
    Slice output = layout.block(block).output();
    clear(output, row, 0, layout.width());
    weights[output.offset() + row * layout.width() + element] = (float) value;
  }

  private void clearColumns(int block, int from, int count) {
    for (int input = 0; input < layout.width(); input++) {
      clear(layout.block(block).qkv(), input, from, from + count);
    }
  }

  private void clear(Slice matrix, int row, int from, int to) {
    int start = matrix.offset() + row * matrix.columns();
    Arrays.fill(weights, start + from, start + to, 0);
  }

  private void quieten(Slice matrix) {
    for (int i = matrix.offset(); i < matrix.offset() + matrix.size(); i++) {
      weights[i] *= (float) QUIET;
    }
  }

  private int firstSlowPair() {
    int pair = 0;
    while (pair < half && turns[pair] * c.context() > SLOW) {
      pair++;
    }
    return pair;
  }
}
