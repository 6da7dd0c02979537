package org.vstar.model.weights;

import java.io.Serializable;
import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.TensorSource;

/**
 * A copy of tensors on Java's heap, which can go to another process.
 *
 * @param tensors what there is, in order
 * @param values one tensor behind the other; not copied
 */
public record NamedTensors(List<Tensor> tensors, float[] values)
    implements TensorSource, Serializable {

  /**
   * Copies tensors.
   *
   * @throws InvalidInputException if they are more than fit into one array
   */
  public static NamedTensors copyOf(TensorSource source) {
    List<Tensor> tensors = List.copyOf(source.tensors());
    long size = tensors.stream().mapToLong(Tensor::size).sum();
    if (size > Integer.MAX_VALUE - 8) {
      throw new InvalidInputException(
          size + " parameters do not fit into one Java array: train with warmStart.replicas: 1");
    }
    float[] values = new float[(int) size];
    int offset = 0;
    for (Tensor tensor : tensors) {
      source.read(tensor, values, offset);
      offset += tensor.size();
    }
    return new NamedTensors(tensors, values);
  }

  /**
   * The mean of tensors of the same names and shapes: summed as float32 in the order that is given,
   * then divided.
   *
   * @param all at least one
   */
  public static NamedTensors mean(List<NamedTensors> all) {
    float[] sum = all.get(0).values.clone();
    for (NamedTensors other : all.subList(1, all.size())) {
      for (int i = 0; i < sum.length; i++) {
        sum[i] += other.values[i];
      }
    }
    for (int i = 0; i < sum.length; i++) {
      sum[i] /= all.size();
    }
    return new NamedTensors(all.get(0).tensors, sum);
  }

  @Override
  public void read(Tensor tensor, float[] into, int offset) {
    int from = 0;
    for (Tensor own : tensors) {
      if (own.equals(tensor)) {
        System.arraycopy(values, from, into, offset, own.size());
        return;
      }
      from += own.size();
    }
    throw new InvalidInputException("there is no " + tensor);
  }
}
