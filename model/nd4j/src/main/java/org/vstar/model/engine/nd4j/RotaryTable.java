package org.vstar.model.engine.nd4j;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.vstar.model.engine.ModelConfig;

/** Cosines and sines of tokens' places. */
final class RotaryTable {

  /** Both are tokens × 1 × half a head. */
  record Rotation(INDArray cos, INDArray sin) {}

  private RotaryTable() {}

  /** Of tokens at some places. */
  static Rotation at(ModelConfig c, int[] places) {
    double[] frequencies = c.ropeFrequencies();
    int half = frequencies.length;
    float[] cos = new float[places.length * half];
    float[] sin = new float[cos.length];
    for (int t = 0; t < places.length; t++) {
      for (int i = 0; i < half; i++) {
        double angle = places[t] * frequencies[i];
        cos[t * half + i] = (float) Math.cos(angle);
        sin[t * half + i] = (float) Math.sin(angle);
      }
    }
    long[] shape = {places.length, 1, half};
    return new Rotation(
        Nd4j.create(cos, shape, DataType.FLOAT), Nd4j.create(sin, shape, DataType.FLOAT));
  }
}
