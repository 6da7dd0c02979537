package org.vstar.model.engine;

import org.vstar.common.Experimental;

/** A gradient by an engine's parameters, on its device. */
@Experimental
public interface Gradient extends AutoCloseable {

  /** Sets it to zero. */
  void clear();

  /** Its L2 norm; infinite or NaN if it is not finite. */
  double norm();

  /** Multiplies it. */
  void scale(double by);

  /** Its values as they are now, by the names of the parameters. */
  TensorSource tensors();

  @Override
  void close();
}
