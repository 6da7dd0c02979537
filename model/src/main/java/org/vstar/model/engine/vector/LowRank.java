package org.vstar.model.engine.vector;

import java.util.Map;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.vector.AdapterLayout.Pair;
import org.vstar.model.engine.vector.FlatTensors.Slice;
import org.vstar.model.engine.vector.Kernels.View;

/**
 * An adapter (LoRA, arXiv 2106.09685): to x·W of an adapted projection it adds scale·x·A·B. Used by
 * many threads.
 */
final class LowRank {

  private final LoraConfig lora;
  private final ParameterLayout base;
  private final AdapterLayout layout;
  private final float[] values;
  private float[] transposed;

  LowRank(LoraConfig lora, ParameterLayout base, AdapterLayout layout, float[] values) {
    this.lora = lora;
    this.base = base;
    this.layout = layout;
    this.values = values;
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
  synchronized void changed() {
    transposed = null;
  }

  private synchronized float[] transposed() {
    if (transposed == null) {
      transposed = new float[values.length];
      for (Slice t : layout.flat().slices()) {
        Kernels.transpose(values, t.offset(), t.rows(), t.columns(), transposed, t.offset());
      }
    }
    return transposed;
  }

  /** What the projections of a matrix add to n rows of its outputs. */
  void add(int layer, float[] in, Slice w, float[] out, int n) {
    for (Map.Entry<Projection, Pair> entry : layout.pairs(layer).entrySet()) {
      if (base.matrix(entry.getKey(), layer).equals(w)) {
        Pair pair = entry.getValue();
        float[] low = low(pair, in, n);
        Kernels.multiply(
            View.rows(low, 0, pair.up().rows()),
            View.rows(values, pair.up().offset(), pair.up().columns()),
            View.rows(out, pair.column(), w.columns()),
            n,
            pair.up().columns(),
            pair.up().rows(),
            true);
      }
    }
  }

  /** scale·in·A, n × rank. */
  private float[] low(Pair pair, float[] in, int n) {
    Slice down = pair.down();
    float[] low = new float[n * down.columns()];
    Kernels.multiply(
        View.rows(in, 0, down.rows()),
        View.rows(values, down.offset(), down.columns()),
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
      int layer, float[] in, Slice w, float[] dOut, float[] dIn, int n, float[] gradient) {
    for (Map.Entry<Projection, Pair> entry : layout.pairs(layer).entrySet()) {
      if (base.matrix(entry.getKey(), layer).equals(w)) {
        addGradient(entry.getValue(), in, w, dOut, dIn, n, gradient);
      }
    }
  }

  private void addGradient(
      Pair pair, float[] in, Slice w, float[] dOut, float[] dIn, int n, float[] gradient) {
    int rank = pair.up().rows();
    int outputs = pair.up().columns();
    int inputs = pair.down().rows();
    View out = View.rows(dOut, pair.column(), w.columns());
    Kernels.multiply(
        View.transposed(low(pair, in, n), 0, rank),
        out,
        View.rows(gradient, pair.up().offset(), outputs),
        rank,
        outputs,
        n,
        true);
    float[] dLow = new float[n * rank];
    Kernels.multiply(
        out,
        View.rows(transposed(), pair.up().offset(), rank),
        View.rows(dLow, 0, rank),
        n,
        rank,
        outputs,
        false);
    Kernels.scale((float) lora.scale(), dLow, 0, dLow.length);
    Kernels.multiply(
        View.transposed(in, 0, inputs),
        View.rows(dLow, 0, rank),
        View.rows(gradient, pair.down().offset(), rank),
        inputs,
        rank,
        n,
        true);
    Kernels.multiply(
        View.rows(dLow, 0, rank),
        View.rows(transposed(), pair.down().offset(), inputs),
        View.rows(dIn, 0, inputs),
        n,
        inputs,
        rank,
        true);
  }
}
