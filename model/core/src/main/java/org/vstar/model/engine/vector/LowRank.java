package org.vstar.model.engine.vector;

import java.util.Map;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.vector.AdapterLayout.Pair;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.kernels.MatrixProduct;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout;

/**
 * An adapter (LoRA, arXiv 2106.09685): to x·W of an adapted projection it adds scale·x·A·B. Used by
 * many threads.
 */
final class LowRank {

  private final LoraConfig lora;
  private final ParameterLayout base;
  private final AdapterLayout layout;
  private final float[] values;
  private final WeightPanels panels;

  LowRank(LoraConfig lora, ParameterLayout base, AdapterLayout layout, float[] values) {
    this.lora = lora;
    this.base = base;
    this.layout = layout;
    this.values = values;
    this.panels = new WeightPanels(values, layout.flat());
  }

  LoraConfig lora() {
    return lora;
  }

  AdapterLayout layout() {
    return layout;
  }

  /** The adapter itself, not a copy. */
  float[] values() {
    return values;
  }

  /** Must be called after the values were changed and before the next pass. */
  void changed() {
    panels.changed();
  }

  /** What the projections of a matrix add to n rows of its outputs. */
  void add(int layer, MatrixProduct product, float[] in, Slice w, float[] out, int n) {
    for (Map.Entry<Projection, Pair> entry : layout.pairs(layer).entrySet()) {
      if (base.matrix(entry.getKey(), layer).equals(w)) {
        Pair pair = entry.getValue();
        float[] low = low(product, pair, in, n);
        product.multiply(
            View.rows(low, 0, pair.up().rows()),
            panels.of(pair.up()),
            View.rows(out, pair.column(), w.columns()),
            n,
            pair.up().columns(),
            pair.up().rows(),
            true);
      }
    }
  }

  /** scale·in·A, n × rank. */
  private float[] low(MatrixProduct product, Pair pair, float[] in, int n) {
    Slice down = pair.down();
    float[] low = new float[n * down.columns()];
    product.multiply(
        View.rows(in, 0, down.rows()),
        panels.of(down),
        View.rows(low, 0, down.columns()),
        n,
        down.columns(),
        down.rows(),
        false);
    Kernels.scale((float) lora.scale(), low, 0, low.length);
    return low;
  }

  /**
   * The gradient by A and B, and what goes back to the inputs: dB += lowᵀ·dOut, dLow =
   * scale·dOut·Bᵀ, dA += inᵀ·dLow, dIn += dLow·Aᵀ.
   */
  void addGradient(
      int layer,
      MatrixProduct product,
      float[] in,
      Slice w,
      float[] dOut,
      float[] dIn,
      int n,
      float[] gradient) {
    for (Map.Entry<Projection, Pair> entry : layout.pairs(layer).entrySet()) {
      if (base.matrix(entry.getKey(), layer).equals(w)) {
        addGradient(product, entry.getValue(), in, w, dOut, dIn, n, gradient);
      }
    }
  }

  private void addGradient(
      MatrixProduct product,
      Pair pair,
      float[] in,
      Slice w,
      float[] dOut,
      float[] dIn,
      int n,
      float[] gradient) {
    int rank = pair.up().rows();
    int outputs = pair.up().columns();
    int inputs = pair.down().rows();
    View out = View.rows(dOut, pair.column(), w.columns());
    product.multiply(
        View.transposed(low(product, pair, in, n), 0, rank),
        out,
        View.rows(gradient, pair.up().offset(), outputs),
        rank,
        outputs,
        n,
        true);
    float[] dLow = new float[n * rank];
    product.multiply(
        out, panels.turned(pair.up()), View.rows(dLow, 0, rank), n, rank, outputs, false);
    Kernels.scale((float) lora.scale(), dLow, 0, dLow.length);
    product.multiply(
        View.transposed(in, 0, inputs),
        View.rows(dLow, 0, rank),
        View.rows(gradient, pair.down().offset(), rank),
        inputs,
        rank,
        n,
        true);
    product.multiply(
        View.rows(dLow, 0, rank),
        panels.turned(pair.down()),
        View.rows(dIn, 0, inputs),
        n,
        inputs,
        rank,
        true);
  }
}
