package org.vstar.model.engine.nd4j;

import java.util.Arrays;
import java.util.BitSet;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.api.ops.impl.shape.GatherNd;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.vstar.model.engine.nd4j.Tape.Node;

/**
 * Tokens that were chosen, one a row: ln π of each, and its gradient, ∂ ln π(a) / ∂ logit(j) = ([a
 * = j] − π(j)) / temperature.
 *
 * @param targets the tokens
 * @param allowed what each was chosen from, or null for everything
 */
record TokenSelection(int[] targets, BitSet[] allowed) {

  private static final float FORBIDDEN = -1e30f;

  /** Tempered logits of rows · headᵀ, −1e30 where a token was not allowed. */
  private INDArray logits(INDArray rows, INDArray head, double temperature) {
    INDArray logits = Products.productTransposed(rows, head).divi(temperature);
    for (int r = 0; r < allowed.length; r++) {
      if (allowed[r] != null) {
        logits.getRow(r).addi(forbidden(allowed[r], (int) head.size(0)));
      }
    }
    return logits;
  }

  private static INDArray forbidden(BitSet allowed, int vocabulary) {
    float[] mask = new float[vocabulary];
    int i = allowed.nextClearBit(0);
    for (; i < vocabulary; i = allowed.nextClearBit(i + 1)) {
      mask[i] = FORBIDDEN;
    }
    return Nd4j.createFromArray(mask);
  }

  private INDArray places() {
    int[][] places = new int[targets.length][];
    for (int r = 0; r < targets.length; r++) {
      places[r] = new int[] {r, targets[r]};
    }
    return Nd4j.createFromArray(places);
  }

  /** ln π of each target. */
  float[] logProbabilities(INDArray rows, INDArray head, double temperature) {
    INDArray logits = logits(rows, head, temperature);
    INDArray shifted = logits.subiColumnVector(logits.max(true, 1));
    INDArray chosen = Nd4j.exec(new GatherNd(shifted, places()))[0];
    INDArray sums = Transforms.exp(shifted, false).sum(1);
    return chosen.subi(Transforms.log(sums, false)).toFloatVector();
  }

  /**
   * Adds a loss's gradient to those of the rows and of the head.
   *
   * @param gradient of the loss by ln π of each target
   */
  void addGradient(Node rows, Node head, double temperature, float[] gradient) {
    INDArray p = logits(rows.value(), head.value(), temperature);
    Transforms.exp(p.subiColumnVector(p.max(true, 1)), false);
    p.diviColumnVector(p.sum(true, 1));
    INDArray weight = Nd4j.createFromArray(gradient).divi(temperature);
    INDArray byLogits = p.muliColumnVector(weight.neg().reshape(gradient.length, 1));
    Nd4j.exec(
        DynamicCustomOp.builder("scatter_nd_add")
            .addInputs(byLogits, places(), weight)
            .addOutputs(byLogits)
            .build());
    if (head.trained()) {
      head.gradient().addi(Products.transposedProduct(byLogits, rows.value()));
    }
    rows.gradient().addi(Products.product(byLogits, head.value()));
  }

  /** What part of the rows has this many of them. */
  TokenSelection part(int from, int to) {
    return new TokenSelection(
        Arrays.copyOfRange(targets, from, to), Arrays.copyOfRange(allowed, from, to));
  }
}
