package org.vstar.model.engine.libtorch;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Tensor;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.libtorch.TorchTransformer.Rotation;

/**
 * Cosines and signed sines of the places up to the longest that was asked for; used by one thread.
 */
final class RotaryTable implements AutoCloseable {

  private static final int FIRST = 256;

  private final ModelConfig c;
  private final String device;
  private int length;
  private Tensor cos;
  private Tensor sin;

  RotaryTable(ModelConfig c, String device) {
    this.c = c;
    this.device = device;
  }

  private void reach(int places) {
    if (places <= length) {
      return;
    }
    close();
    length = Math.min(c.context(), Math.max(FIRST, places + places / 2));
    int width = c.headWidth();
    double[] frequencies = c.ropeFrequencies();
    float[] cosines = new float[length * width];
    float[] sines = new float[cosines.length];
    for (int p = 0; p < length; p++) {
      for (int i = 0; i < width; i++) {
        double angle = p * frequencies[i % frequencies.length];
        cosines[p * width + i] = (float) Math.cos(angle);
        sines[p * width + i] = (float) (i < width / 2 ? -Math.sin(angle) : Math.sin(angle));
      }
    }
    try (PointerScope scope = new PointerScope()) {
      cos = LibTorch.floats(cosines, device, length, width).retainReference();
      sin = LibTorch.floats(sines, device, length, width).retainReference();
    }
  }

  /** Of places 0 to this minus 1. */
  Rotation first(int places) {
    reach(places);
    return new Rotation(cos.narrow(0, 0, places), sin.narrow(0, 0, places));
  }

  /** Of the places of B × T tokens, all of them below {@code places}. */
  Rotation at(Tensor positions, int places) {
    reach(places);
    long[] shape = {positions.size(0), 1, positions.size(1), c.headWidth()};
    Tensor flat = positions.flatten();
    return new Rotation(
        cos.index_select(0, flat).view(shape), sin.index_select(0, flat).view(shape));
  }

  @Override
  public void close() {
    if (cos != null) {
      cos.close();
      sin.close();
      cos = null;
    }
  }
}
