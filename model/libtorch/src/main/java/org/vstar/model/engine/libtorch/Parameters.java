package org.vstar.model.engine.libtorch;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.StoredTensors;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.WeightSource;

/** Tensors by name, which live until they are closed. */
final class Parameters implements AutoCloseable {

  private final Map<String, TensorSource.Tensor> shapes = new LinkedHashMap<>();
  private final Map<String, Tensor> tensors = new HashMap<>();

  private void keep(TensorSource.Tensor shape, Tensor tensor) {
    shapes.put(shape.name(), shape);
    tensors.put(shape.name(), tensor.retainReference());
  }

  private static long[] sides(TensorSource.Tensor shape) {
    return shape.isMatrix()
        ? new long[] {shape.rows(), shape.columns()}
        : new long[] {shape.columns()};
  }

  /** What makes a tensor from another. */
  interface Change {
    Tensor of(Tensor tensor);
  }

  /** A new tensor of each. */
  Parameters map(Change change) {
    Parameters mapped = new Parameters();
    for (TensorSource.Tensor shape : shapes.values()) {
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        mapped.keep(shape, change.of(get(shape.name())));
      }
    }
    return mapped;
  }

  /** Zeros of float32. */
  Parameters zeros() {
    return map(tensor -> torch.zeros_like(tensor.to(ScalarType.Float)));
  }

  /** Copies in another type. */
  Parameters as(DType type) {
    return map(tensor -> tensor.to(LibTorch.scalarType(type)).clone(new MemoryFormatOptional()));
  }

  /** The same numbers as inputs of a derivative: each has a gradient of its own. */
  Parameters leaves() {
    Parameters leaves = new Parameters();
    for (TensorSource.Tensor shape : shapes.values()) {
      try (PointerScope scope = new PointerScope()) {
        leaves.keep(shape, get(shape.name()).detach().set_requires_grad(true));
      }
    }
    return leaves;
  }

  /**
   * Reads all of a source's tensors as they are stored.
   *
   * @throws InvalidInputException if one has a number that is not finite
   */
  static Parameters read(TensorSource source, List<TensorSource.Tensor> wanted, String device) {
    Parameters parameters = new Parameters();
    for (TensorSource.Tensor shape : wanted) {
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        Tensor host =
            source instanceof StoredTensors stored ? stored(stored, shape) : copied(source, shape);
        if (!host.isfinite().all().item_bool()) {
          throw new InvalidInputException(
              "tensor '" + shape.name() + "' has numbers that are not finite");
        }
        parameters.keep(shape, host.to(new Device(device), host.scalar_type()));
      }
    }
    return parameters;
  }

  private static Tensor stored(StoredTensors source, TensorSource.Tensor shape) {
    Tensor host =
        torch.empty(sides(shape), LibTorch.options(source.type(shape)), new MemoryFormatOptional());
    long[] at = {host.data_ptr().address()};
    source.bytes(
        shape,
        buffer -> {
          BytePointer from = new BytePointer(buffer);
          Pointer.memcpy(new Address(at[0]), from, buffer.remaining());
          at[0] += buffer.remaining();
        });
    return host;
  }

  /** A place in native memory that somebody else owns. */
  private static final class Address extends Pointer {
    Address(long address) {
      this.address = address;
    }
  }

  private static Tensor copied(TensorSource source, TensorSource.Tensor shape) {
    Tensor host =
        torch.empty(sides(shape), LibTorch.options(DType.FLOAT32), new MemoryFormatOptional());
    copy(source, shape, host);
    return host;
  }

  /** Fills a tensor, in pieces: its values need not fit on Java's heap. */
  private static void copy(TensorSource source, TensorSource.Tensor shape, Tensor into) {
    long[] at = {0};
    source.readPieces(
        shape,
        (values, count) -> {
          try (PointerScope scope = new PointerScope();
              NoGradGuard none = new NoGradGuard()) {
            float[] exact = count == values.length ? values : Arrays.copyOf(values, count);
            into.view(-1).narrow(0, at[0], count).copy_(Tensor.create(exact, count));
          }
          at[0] += count;
        });
  }

  /**
   * Reads numbers into the tensors that there are, from a source that has a prefix to its names.
   */
  void load(TensorSource source, String prefix) {
    for (TensorSource.Tensor shape : shapes.values()) {
      copy(source, shape.named(prefix + shape.name()), get(shape.name()));
    }
  }

  Tensor get(String name) {
    Tensor tensor = tensors.get(name);
    if (tensor == null) {
      throw new IllegalArgumentException("the model has no tensor '" + name + "'");
    }
    return tensor;
  }

  List<TensorSource.Tensor> shapes() {
    return List.copyOf(shapes.values());
  }

  /** Whether all numbers are of this type. */
  boolean are(DType type) {
    return tensors.values().stream()
        .allMatch(tensor -> tensor.scalar_type().intern() == LibTorch.scalarType(type));
  }

  /** The tensors for others to read, as they are when they are read. */
  TensorSource source(String prefix) {
    return new View(this, prefix);
  }

  private record View(Parameters parameters, String prefix) implements TensorSource {
    private static final int PIECE = 1 << 20;

    @Override
    public List<Tensor> tensors() {
      return parameters.shapes.values().stream()
          .map(shape -> shape.named(prefix + shape.name()))
          .toList();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      LibTorch.read(own(tensor), into, offset, tensor.size());
    }

    private org.bytedeco.pytorch.Tensor own(Tensor tensor) {
      if (!tensors().contains(tensor)) {
        throw new InvalidInputException("the model has no " + tensor);
      }
      return parameters.get(tensor.name().substring(prefix.length()));
    }

    @Override
    public void readPieces(Tensor tensor, Pieces to) {
      int size = tensor.size();
      float[] values = new float[Math.min(PIECE, size)];
      for (int at = 0; at < size; at += PIECE) {
        int count = Math.min(PIECE, size - at);
        try (PointerScope scope = new PointerScope();
            NoGradGuard none = new NoGradGuard()) {
          var piece = own(tensor).reshape(-1).narrow(0, at, count);
          LibTorch.read(piece, values, 0, count);
        }
        to.take(values, count);
      }
    }
  }

  /** The tensors as a model's parameters. */
  WeightSource weights(ModelConfig config, int vocabulary) {
    return WeightSource.of(config, vocabulary, source(""));
  }

  @Override
  public void close() {
    tensors.values().forEach(Tensor::close);
    tensors.clear();
  }
}
