package org.vstar.model.engine;

import java.util.Arrays;
import java.util.List;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ContentHash;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * What LoRA adds to a model.
 *
 * @param tensors those of {@link LoraConfig#tensors}
 */
public record Adapter(LoraConfig lora, TensorSource tensors) {

  /**
   * Content hash of the adapter and the model below it.
   *
   * @param base fingerprint of that model's weights
   */
  public String fingerprint(String base) {
    ContentHash hash = new ContentHash();
    for (Tensor tensor : tensors.tensors()) {
      float[] values = new float[tensor.size()];
      tensors.read(tensor, values, 0);
      hash.add(tensor.name()).add(values, 0, values.length);
    }
    return CanonicalJson.of("adapted weights", 1)
        .with("base", base)
        .with("lora", lora.canonical())
        .with("tensors", hash.hex())
        .fingerprint();
  }

  /** Whether it adds nothing, as where training begins: each B is zero. */
  public boolean isZero() {
    for (Tensor tensor : tensors.tensors()) {
      if (LoraConfig.isUp(tensor)) {
        float[] values = new float[tensor.size()];
        tensors.read(tensor, values, 0);
        for (float value : values) {
          if (value != 0) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** A model's parameters with what this adds: products in float64, rounded once. */
  public WeightSource merged(WeightSource below) {
    return new Merged(below, this);
  }

  private record Merged(WeightSource below, Adapter adapter) implements WeightSource {

    @Override
    public ModelConfig config() {
      return below.config();
    }

    @Override
    public int vocabulary() {
      return below.vocabulary();
    }

    @Override
    public List<Tensor> tensors() {
      return below.tensors();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      below.read(tensor, into, offset);
      adapter
          .lora
          .placeOf(tensor, config())
          .ifPresent(place -> adapter.add(place, config(), into, offset));
    }

    @Override
    public void readPieces(Tensor tensor, Pieces to) {
      if (adapter.lora.placeOf(tensor, config()).isEmpty()) {
        below.readPieces(tensor, to);
      } else {
        WeightSource.super.readPieces(tensor, to);
      }
    }
  }

  private void add(LoraConfig.Place place, ModelConfig c, float[] into, int offset) {
    int inputs = place.projection().inputs(c);
    int outputs = place.projection().outputs(c);
    int rank = lora.rank();
    float[] down = new float[rank * inputs];
    float[] up = new float[outputs * rank];
    tensors.read(
        new Tensor(LoraConfig.down(place.projection(), place.layer()), rank, inputs), down, 0);
    tensors.read(
        new Tensor(LoraConfig.up(place.projection(), place.layer()), outputs, rank), up, 0);
    double[] row = new double[inputs];
    for (int o = 0; o < outputs; o++) {
      Arrays.fill(row, 0);
      for (int r = 0; r < rank; r++) {
        double factor = lora.scale() * up[o * rank + r];
        for (int i = 0; i < inputs; i++) {
          row[i] += factor * down[r * inputs + i];
        }
      }
      for (int i = 0; i < inputs; i++) {
        int at = offset + o * inputs + i;
        into[at] = (float) (into[at] + row[i]);
      }
    }
  }
}
