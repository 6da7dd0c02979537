package org.vstar.model.engine.nd4j;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * Reverse-mode differentiation over ND4J's operations: each operation is written beside its
 * derivative, and {@link #backward} runs the derivatives in the opposite order. Activations are
 * tokens × width. (SameDiff's own takes minutes for a model of four layers.)
 */
final class Tape {

  /**
   * A value, and the gradient of the loss by it.
   *
   * @param gradient null where none is asked for
   */
  record Node(INDArray value, INDArray gradient) {
    boolean trained() {
      return gradient != null;
    }
  }

  private final boolean records;
  private final Deque<Runnable> derivatives = new ArrayDeque<>();

  /**
   * Makes a tape.
   *
   * @param records whether derivatives are wanted
   */
  Tape(boolean records) {
    this.records = records;
  }

  /** Runs the derivatives of all operations, the last one first. */
  void backward() {
    while (!derivatives.isEmpty()) {
      derivatives.pop().run();
    }
  }

  private Node node(INDArray value) {
    return new Node(value, records ? Nd4j.zeros(DataType.FLOAT, value.shape()) : null);
  }

  private void derivative(Runnable derivative) {
    if (records) {
      derivatives.push(derivative);
    }
  }

  /** x·wᵀ + b. */
  Node linear(Node x, Node w, Node bias) {
    INDArray value = Products.productTransposed(x.value, w.value);
    if (bias != null) {
      value.addiRowVector(bias.value);
    }
    Node y = node(value);
    derivative(
        () -> {
          if (w.trained()) {
            w.gradient.addi(Products.transposedProduct(y.gradient, x.value));
          }
          if (bias != null && bias.trained()) {
            bias.gradient.addi(y.gradient.sum(0).reshape(bias.gradient.shape()));
          }
          x.gradient.addi(Products.product(y.gradient, w.value));
        });
    return y;
  }

  /** a + scale · b. */
  Node add(Node a, Node b, double scale) {
    Node y = node(a.value.add(b.value.mul(scale)));
    derivative(
        () -> {
          a.gradient.addi(y.gradient);
          b.gradient.addi(y.gradient.mul(scale));
        });
    return y;
  }

  /** x / √(mean x² + ε) · gain, over the last dimension of groups of {@code gain}'s width. */
  Node rmsNorm(Node x, Node gain, double epsilon) {
    long width = gain.value.length();
    long[] groups = {x.value.length() / width, width};
    INDArray rows = x.value.reshape(groups);
    INDArray inverse = Transforms.pow(rows.mul(rows).mean(true, 1).addi(epsilon), -0.5);
    INDArray normed = rows.mulColumnVector(inverse);
    Node y = node(normed.mulRowVector(gain.value).reshape(x.value.shape()));
    derivative(
        () -> {
          INDArray by = y.gradient.reshape(groups);
          if (gain.trained()) {
            gain.gradient.addi(by.mul(normed).sum(0).reshape(gain.gradient.shape()));
          }
          INDArray byNormed = by.mulRowVector(gain.value);
          INDArray mean = byNormed.mul(normed).mean(true, 1);
          INDArray byRows = byNormed.subi(normed.mulColumnVector(mean)).muliColumnVector(inverse);
          x.gradient.addi(byRows.reshape(x.value.shape()));
        });
    return y;
  }

  /**
   * Rotary positions.
   *
   * @param cos tokens × 1 × half a head
   * @param sin the same
   */
  Node rotate(Node x, INDArray cos, INDArray sin) {
    Node y = node(turned(x.value, cos, sin));
    derivative(() -> x.gradient.addi(turned(y.gradient, cos, sin.neg())));
    return y;
  }

  private static INDArray turned(INDArray x, INDArray cos, INDArray sin) {
    long half = cos.size(2);
    INDArray heads = x.reshape(x.size(0), x.size(1) / (2 * half), 2 * half);
    INDArray first = part(heads, 0, half);
    INDArray second = part(heads, half, 2 * half);
    return Nd4j.concat(
            2, first.mul(cos).subi(second.mul(sin)), second.mul(cos).addi(first.mul(sin)))
        .reshape(x.shape());
  }

  private static INDArray part(INDArray heads, long from, long to) {
    return heads
        .get(NDArrayIndex.all(), NDArrayIndex.all(), NDArrayIndex.interval(from, to))
        .dup('c');
  }

  /** gate · σ(gate) · up. */
  Node swiglu(Node gate, Node up) {
    INDArray sigmoid = Transforms.sigmoid(gate.value);
    INDArray silu = gate.value.mul(sigmoid);
    Node y = node(silu.mul(up.value));
    derivative(
        () -> {
          up.gradient.addi(y.gradient.mul(silu));
          // d silu / d gate = σ + silu · (1 − σ)
          INDArray slope = silu.mul(sigmoid.rsub(1)).addi(sigmoid);
          gate.gradient.addi(y.gradient.mul(up.value).muli(slope));
        });
    return y;
  }

  /** Rows of a matrix. */
  Node rows(Node matrix, int[] places) {
    Node y = node(Nd4j.pullRows(matrix.value, 1, places, 'c'));
    derivative(
        () -> {
          if (matrix.trained()) {
            Nd4j.exec(
                DynamicCustomOp.builder("scatter_add")
                    .addInputs(matrix.gradient, Nd4j.createFromArray(places), y.gradient)
                    .addOutputs(matrix.gradient)
                    // One after the other: a token may be there twice.
                    .addBooleanArguments(true)
                    .build());
          }
        });
    return y;
  }

  /**
   * Causal attention within each of some sequences that lie one behind the other.
   *
   * @param lengths tokens of each
   */
  Node attention(Node queries, Node keys, Node values, List<Integer> lengths, Heads heads) {
    Node y = node(Nd4j.createUninitialized(DataType.FLOAT, queries.value.shape(), 'c'));
    int from = 0;
    for (int length : lengths) {
      int to = from + length;
      int at = from;
      INDArray q = heads.queries(queries.value, from, to);
      INDArray k = heads.keys(keys.value, from, to);
      INDArray v = heads.keys(values.value, from, to);
      INDArray p = heads.weights(q, k, 0);
      heads.put(Products.product(p, v), y.value, from, to);
      derivative(
          () -> {
            INDArray by = heads.queries(y.gradient, at, to);
            INDArray byP = Products.productTransposed(by, v);
            INDArray byScores = heads.byScores(p, byP);
            heads.add(Products.product(byScores, k), queries.gradient, at, to);
            heads.addKeys(Products.transposedProduct(byScores, q), keys.gradient, at, to);
            heads.addKeys(Products.transposedProduct(p, by), values.gradient, at, to);
          });
      from = to;
    }
    return y;
  }
}
