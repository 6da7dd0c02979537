package org.vstar.model.weights;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * What lies where in one flat vector: slices, which the kernels work on, and in them the tensors
 * that have standard names. Filled once, by a layout.
 */
public final class FlatTensors {

  private static final int LARGEST = Integer.MAX_VALUE - 8;

  /** A matrix or vector of the flat vector. */
  public record Slice(int rows, int columns, int offset, boolean isMatrix) {
    /** Number of values. */
    public int size() {
      return rows * columns;
    }
  }

  /** How an index of a standard tensor is counted here: heads of {@code width} are padded. */
  public record Axis(int stride, int width, int padded) {
    /** Without padding, so many values apart. */
    public static Axis plain(int stride) {
      return new Axis(stride, Integer.MAX_VALUE, 0);
    }

    /** Where an index is. */
    public int at(int index) {
      return (index / width * padded + index % width) * stride;
    }
  }

  /** Where a standard tensor's values lie. */
  public record Place(int offset, Axis rows, Axis columns) {
    private void scatter(Tensor tensor, float[] from, float[] into) {
      for (int r = 0; r < tensor.rows(); r++) {
        int row = offset + rows.at(r);
        for (int c = 0; c < tensor.columns(); c++) {
          into[row + columns.at(c)] = from[r * tensor.columns() + c];
        }
      }
    }

    private void gather(Tensor tensor, float[] from, float[] into, int at) {
      for (int r = 0; r < tensor.rows(); r++) {
        int row = offset + rows.at(r);
        for (int c = 0; c < tensor.columns(); c++) {
          into[at + r * tensor.columns() + c] = from[row + columns.at(c)];
        }
      }
    }
  }

  private final List<Slice> slices = new ArrayList<>();
  private final Map<Tensor, Place> places = new LinkedHashMap<>();
  private int size;

  /**
   * Makes room for a matrix behind what there is.
   *
   * @throws InvalidInputException if no array is so large
   */
  public Slice add(int rows, int columns) {
    return add(rows, columns, true);
  }

  /** Makes room for a vector, which is not decayed, behind what there is. */
  public Slice addVector(int columns) {
    return add(1, columns, false);
  }

  private Slice add(int rows, int columns, boolean isMatrix) {
    long end = size + (long) rows * columns;
    if (end > LARGEST) {
      throw new InvalidInputException(
          "the model has more parameters than fit into one Java array ("
              + LARGEST
              + "): run it with engine: libtorch");
    }
    Slice slice = new Slice(rows, columns, size, isMatrix);
    slices.add(slice);
    size = (int) end;
    return slice;
  }

  /** Says where a standard tensor lies. */
  public void place(Tensor tensor, Place place) {
    places.put(tensor, place);
  }

  /** The standard tensors, in order. */
  public List<Tensor> tensors() {
    return List.copyOf(places.keySet());
  }

  /** All slices in order of offset; they cover the flat vector without gaps. */
  public List<Slice> slices() {
    return slices;
  }

  /** Number of values, padding included. */
  public int size() {
    return size;
  }

  /**
   * Copies a standard tensor out of a flat vector.
   *
   * @throws InvalidInputException if there is none of this name and shape
   */
  public void read(float[] values, Tensor tensor, float[] into, int offset) {
    Place place = places.get(tensor);
    if (place == null) {
      throw new InvalidInputException("the model has no " + tensor);
    }
    place.gather(tensor, values, into, offset);
  }

  /**
   * Fills a flat vector.
   *
   * @param prefix what stands before the names of tensors in the source
   */
  public void fill(float[] values, TensorSource source, String prefix) {
    places.forEach(
        (tensor, place) -> {
          float[] read = new float[tensor.size()];
          source.read(tensor.named(prefix + tensor.name()), read, 0);
          place.scatter(tensor, read, values);
        });
  }

  /** A flat vector's tensors for others to read; their names begin with a prefix. */
  public TensorSource source(float[] values, String prefix) {
    return new View(this, values, prefix);
  }

  private record View(FlatTensors flat, float[] values, String prefix) implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return flat.places.keySet().stream()
          .map(tensor -> tensor.named(prefix + tensor.name()))
          .toList();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      String name = tensor.name();
      String own = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
      flat.read(values, tensor.named(own), into, offset);
    }
  }
}
