package org.vstar.model.engine.libtorch;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.TensorSource;

/** A gradient by the parameters that are trained, in float32. */
final class TorchGradient implements Gradient {

  private final Parameters values;

  TorchGradient(Parameters of) {
    values = of.zeros();
  }

  Parameters values() {
    return values;
  }

  /** Adds what a backward pass left at the leaves, and takes it away from them. */
  void take(Parameters leaves) {
    for (TensorSource.Tensor shape : leaves.shapes()) {
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        Tensor gradient = leaves.get(shape.name()).grad();
        if (gradient.defined()) {
          values.get(shape.name()).add_(gradient.to(ScalarType.Float));
          leaves.get(shape.name()).mutable_grad().reset();
        }
      }
    }
  }

  @Override
  public void clear() {
    for (TensorSource.Tensor shape : values.shapes()) {
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        values.get(shape.name()).zero_();
      }
    }
  }

  @Override
  public double norm() {
    double squares = 0;
    for (TensorSource.Tensor shape : values.shapes()) {
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        double norm = torch.linalg_vector_norm(values.get(shape.name())).item_double();
        squares += norm * norm;
      }
    }
    return Math.sqrt(squares);
  }

  @Override
  public void scale(double by) {
    for (TensorSource.Tensor shape : values.shapes()) {
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        values.get(shape.name()).mul_(LibTorch.scalar(by));
      }
    }
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
