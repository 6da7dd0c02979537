package org.vstar.model.engine.nd4j;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.TensorSource;

/** Tensors by name, row-major, in float32; they live until they are closed. */
final class Parameters implements AutoCloseable {

  private record Entry(TensorSource.Tensor shape, INDArray values) {}

  private final Map<String, Entry> entries = new LinkedHashMap<>();

  private static long[] sides(TensorSource.Tensor shape) {
    return new long[] {shape.rows(), shape.columns()};
  }

  /** Reads all of a source's tensors. */
  static Parameters read(TensorSource source, List<TensorSource.Tensor> wanted) {
    Parameters parameters = new Parameters();
    for (TensorSource.Tensor shape : wanted) {
      float[] values = new float[shape.size()];
      source.read(shape, values, 0);
      INDArray array = Nd4j.create(values, sides(shape), DataType.FLOAT);
      parameters.entries.put(shape.name(), new Entry(shape, array));
    }
    return parameters;
  }

  private Parameters map(UnaryOperator<INDArray> change) {
    Parameters mapped = new Parameters();
    entries.forEach(
        (name, entry) ->
            mapped.entries.put(name, new Entry(entry.shape, change.apply(entry.values))));
    return mapped;
  }

  /** A copy of each. */
  Parameters copy() {
    return map(values -> values.dup('c'));
  }

  /** Zeros of each one's shape. */
  Parameters zeros() {
    return map(values -> Nd4j.zeros(DataType.FLOAT, values.shape()));
  }

  /** Reads numbers into the tensors that there are, from a source with a prefix to its names. */
  void load(TensorSource source, String prefix) {
    for (Entry entry : entries.values()) {
      float[] values = new float[entry.shape.size()];
      source.read(entry.shape.named(prefix + entry.shape.name()), values, 0);
      entry.values.assign(Nd4j.create(values, sides(entry.shape), DataType.FLOAT));
    }
  }

  INDArray get(String name) {
    return entries.get(name).values;
  }

  List<TensorSource.Tensor> shapes() {
    return entries.values().stream().map(Entry::shape).toList();
  }

  void forEach(Consumer<INDArray> action) {
    entries.values().forEach(entry -> action.accept(entry.values));
  }

  /** The tensors for others to read, as they are when they are read. */
  TensorSource source(String prefix) {
    return new View(this, prefix);
  }

  private record View(Parameters parameters, String prefix) implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return parameters.shapes().stream().map(shape -> shape.named(prefix + shape.name())).toList();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      if (!tensors().contains(tensor)) {
        throw new InvalidInputException("the model has no " + tensor);
      }
      INDArray values = parameters.get(tensor.name().substring(prefix.length()));
      float[] row = values.reshape(values.length()).toFloatVector();
      System.arraycopy(row, 0, into, offset, row.length);
    }
  }

  @Override
  public void close() {
    forEach(
        values -> {
          if (values.closeable()) {
            values.close();
          }
        });
    entries.clear();
  }
}
