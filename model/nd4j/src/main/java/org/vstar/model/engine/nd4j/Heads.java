package org.vstar.model.engine.nd4j;

import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.vstar.model.engine.ModelConfig;

/**
 * Attention's heads as batches of matrices: tokens × (heads · headWidth) on the outside, kvHeads ×
 * (heads / kvHeads · tokens) × headWidth within, so that the queries of a group meet their keys in
 * one product.
 */
record Heads(int heads, int kvHeads, int width) {

  private static final float HIDDEN = -1e30f;

  static Heads of(ModelConfig c) {
    return new Heads(c.heads(), c.kvHeads(), c.headWidth());
  }

  private static INDArray tokens(INDArray x, long from, long to) {
    return x.get(NDArrayIndex.interval(from, to), NDArrayIndex.all());
  }

  private INDArray apart(INDArray x, long from, long to, int count) {
    return tokens(x, from, to).dup('c').reshape(to - from, count, width).permute(1, 0, 2).dup('c');
  }

  /** The queries of some tokens. */
  INDArray queries(INDArray x, long from, long to) {
    return apart(x, from, to, heads).reshape(kvHeads, heads / kvHeads * (to - from), width);
  }

  /** The keys, or values, of some tokens: kvHeads × tokens × headWidth. */
  INDArray keys(INDArray x, long from, long to) {
    return apart(x, from, to, kvHeads);
  }

  private INDArray together(INDArray x, int count) {
    long n = x.length() / ((long) count * width);
    INDArray apart = x.reshape(count, n, width);
    return apart.permute(1, 0, 2).dup('c').reshape(n, (long) count * width);
  }

  /** Writes what queries have become. */
  void put(INDArray x, INDArray into, long from, long to) {
    tokens(into, from, to).assign(together(x, heads));
  }

  /** Adds what queries have become. */
  void add(INDArray x, INDArray into, long from, long to) {
    tokens(into, from, to).addi(together(x, heads));
  }

  /** Adds what keys have become. */
  void addKeys(INDArray x, INDArray into, long from, long to) {
    tokens(into, from, to).addi(together(x, kvHeads));
  }

  private double scale() {
    return 1 / Math.sqrt(width);
  }

  /**
   * softmax(q·kᵀ / √headWidth) over the keys up to each query's own place.
   *
   * @param before keys before the first query's own
   */
  INDArray weights(INDArray q, INDArray k, int before) {
    INDArray scores = Products.productTransposed(q, k).muli(scale());
    int seen = (int) k.size(1);
    int asked = (int) q.size(1) * kvHeads / heads;
    if (asked > 1) {
      scores.reshape(heads, (long) asked * seen).addiRowVector(mask(asked, seen, before));
    }
    INDArray rows = scores.reshape((long) heads * asked, seen);
    rows.subiColumnVector(rows.max(true, 1));
    Transforms.exp(rows, false);
    rows.diviColumnVector(rows.sum(true, 1));
    return scores;
  }

  private static INDArray mask(int asked, int seen, int before) {
    float[] mask = new float[asked * seen];
    for (int t = 0; t < asked; t++) {
      Arrays.fill(mask, t * seen + before + t + 1, (t + 1) * seen, HIDDEN);
    }
    return Nd4j.create(mask, new long[] {1, mask.length}, DataType.FLOAT);
  }

  /** The gradient by q·kᵀ from that by the {@link #weights}. */
  INDArray byScores(INDArray p, INDArray byP) {
    long[] flat = {p.size(0) * p.size(1), p.size(2)};
    INDArray rows = p.reshape(flat);
    INDArray byRows = byP.reshape(flat);
    INDArray mean = rows.mul(byRows).sum(true, 1);
    return byRows.subColumnVector(mean).muli(rows).muli(scale()).reshape(p.shape());
  }
}
