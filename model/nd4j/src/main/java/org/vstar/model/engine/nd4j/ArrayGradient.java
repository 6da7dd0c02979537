package org.vstar.model.engine.nd4j;

import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.TensorSource;

/** A gradient by the parameters that are trained. */
final class ArrayGradient implements Gradient {

  private final Parameters values;

  ArrayGradient(Parameters of) {
    values = of.zeros();
  }

  Parameters values() {
    return values;
  }

  @Override
  public void clear() {
    values.forEach(array -> array.assign(0));
  }

  @Override
  public double norm() {
    double[] squares = {0};
    values.forEach(
        array -> {
          double norm = array.norm2Number().doubleValue();
          squares[0] += norm * norm;
        });
    return Math.sqrt(squares[0]);
  }

  @Override
  public void scale(double by) {
    values.forEach(array -> array.muli(by));
  }

  @Override
  public TensorSource tensors() {
    return values.source("");
  }

  @Override
  public void close() {
    values.close();
  }
}
