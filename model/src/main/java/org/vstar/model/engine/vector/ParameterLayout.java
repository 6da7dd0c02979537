package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * Where each parameter lies in the one flat vector. Matrices are stored inputs × outputs, row by
 * row, so that a row of activations times the matrix is a row of outputs; queries, keys and values
 * share one matrix, and so do gates and ups. Widths are padded to multiples of 16 with zeros, which
 * training leaves zero: nothing flows into them.
 */
public final class ParameterLayout {

  /** A matrix or vector of the flat vector. */
  record Slice(int rows, int columns, int offset) {
    int size() {
      return rows * columns;
    }

    /** Vectors (norm gains, biases) are not decayed. */
    boolean isMatrix() {
      return rows > 1;
    }
  }

  /** One block's parameters; null where the model has none. */
  record Block(
      Slice attentionNorm,
      Slice qkv,
      Slice qkvBias,
      Slice queryNorm,
      Slice keyNorm,
      Slice output,
      Slice outputBias,
      Slice feedForwardNorm,
      Slice gateUp,
      Slice gateUpBias,
      Slice down,
      Slice downBias) {}

  /** How an index of a standard tensor is counted here: heads of {@code width} are padded. */
  private record Axis(int stride, int width, int padded) {
    static Axis plain(int stride) {
      return new Axis(stride, Integer.MAX_VALUE, 0);
    }

    int at(int index) {
      return (index / width * padded + index % width) * stride;
    }
  }

  /** Where a standard tensor's values lie. */
  private record Place(int offset, Axis rows, Axis columns) {
    void scatter(Tensor tensor, float[] from, float[] into) {
      for (int r = 0; r < tensor.rows(); r++) {
        int row = offset + rows.at(r);
        for (int c = 0; c < tensor.columns(); c++) {
          into[row + columns.at(c)] = from[r * tensor.columns() + c];
        }
      }
    }

    void gather(Tensor tensor, float[] from, float[] into, int at) {
      for (int r = 0; r < tensor.rows(); r++) {
        int row = offset + rows.at(r);
        for (int c = 0; c < tensor.columns(); c++) {
          into[at + r * tensor.columns() + c] = from[row + columns.at(c)];
        }
      }
    }
  }

  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private final ModelConfig c;
  private final int width;
  private final int headWidth;
  private final int feedForward;
  private final int vocabulary;
  private final List<Slice> slices = new ArrayList<>();
  private final List<Block> blocks = new ArrayList<>();
  private final Map<Tensor, Place> places = new LinkedHashMap<>();
  private final Slice embedding;
  private final Slice finalNorm;
  private final Slice head;
  private int size;

  /**
   * Lays a model out.
   *
   * @param tokens number of token ids
   * @throws InvalidInputException if it is too large
   */
  public ParameterLayout(ModelConfig c, int tokens) {
    this.c = c;
    width = padded(c.width());
    headWidth = padded(c.headWidth());
    feedForward = padded(c.feedForward());
    vocabulary = padded(tokens);
    embedding = add(vocabulary, width);
    for (int l = 0; l < c.layers(); l++) {
      blocks.add(
          new Block(
              add(1, width),
              add(width, qkvWidth()),
              c.qkvBias() ? add(1, qkvWidth()) : null,
              c.headNorm() ? add(1, headWidth) : null,
              c.headNorm() ? add(1, headWidth) : null,
              add(queryWidth(), width),
              c.outputBias() ? add(1, width) : null,
              add(1, width),
              add(width, 2 * feedForward),
              c.feedForwardBias() ? add(1, 2 * feedForward) : null,
              add(feedForward, width),
              c.feedForwardBias() ? add(1, width) : null));
    }
    finalNorm = add(1, width);
    head = c.tied() ? embedding : add(vocabulary, width);
    ModelTensors.of(c, tokens).forEach(tensor -> places.put(tensor, null));
    place();
  }

  private Slice add(int rows, int columns) {
    long end = size + (long) rows * columns;
    if (end > LARGEST) {
      throw new InvalidInputException(
          "the model has more parameters than fit into one Java array ("
              + LARGEST
              + "): run it with engine: libtorch");
    }
    Slice slice = new Slice(rows, columns, size);
    slices.add(slice);
    size = (int) end;
    return slice;
  }

  private void place() {
    Map<String, Place> byName = new LinkedHashMap<>();
    Axis down = Axis.plain(width);
    Axis across = Axis.plain(1);
    byName.put(ModelTensors.EMBEDDING, new Place(embedding.offset, down, across));
    byName.put(ModelTensors.FINAL_NORM, new Place(finalNorm.offset, across, across));
    byName.put(ModelTensors.HEAD, new Place(head.offset, down, across));
    for (int l = 0; l < c.layers(); l++) {
      Block b = blocks.get(l);
      vector(byName, ModelTensors.attentionNorm(l), b.attentionNorm);
      vector(byName, ModelTensors.feedForwardNorm(l), b.feedForwardNorm);
      vector(byName, ModelTensors.queryNorm(l), b.queryNorm);
      vector(byName, ModelTensors.keyNorm(l), b.keyNorm);
      for (Projection p : Projection.values()) {
        boolean headsIn = p == Projection.OUTPUT;
        Slice matrix = matrix(p, l);
        Axis outputs = heads(p) ? headed(1) : across;
        Axis inputs = headsIn ? headed(matrix.columns) : Axis.plain(matrix.columns);
        byName.put(p.weight(l), new Place(matrix.offset + column(p), outputs, inputs));
        Slice bias = bias(p, l);
        if (bias != null) {
          byName.put(p.bias(l), new Place(bias.offset + column(p), across, outputs));
        }
      }
    }
    places.replaceAll((tensor, none) -> byName.get(tensor.name()));
  }

  private static void vector(Map<String, Place> places, String name, Slice slice) {
    if (slice != null) {
      places.put(name, new Place(slice.offset, Axis.plain(1), Axis.plain(1)));
    }
  }

  private Axis headed(int stride) {
    return new Axis(stride, c.headWidth(), headWidth);
  }

  /** Whether a projection's outputs are heads. */
  private static boolean heads(Projection p) {
    return p == Projection.QUERY || p == Projection.KEY || p == Projection.VALUE;
  }

  /** The matrix that a projection is a part of. */
  Slice matrix(Projection p, int layer) {
    Block b = blocks.get(layer);
    return switch (p) {
      case QUERY, KEY, VALUE -> b.qkv;
      case OUTPUT -> b.output;
      case GATE, UP -> b.gateUp;
      case DOWN -> b.down;
    };
  }

  private Slice bias(Projection p, int layer) {
    Block b = blocks.get(layer);
    return switch (p) {
      case QUERY, KEY, VALUE -> b.qkvBias;
      case OUTPUT -> b.outputBias;
      case GATE, UP -> b.gateUpBias;
      case DOWN -> b.downBias;
    };
  }

  /** The first column of a projection in its matrix. */
  int column(Projection p) {
    return switch (p) {
      case KEY -> queryWidth();
      case VALUE -> queryWidth() + kvWidth();
      case UP -> feedForward;
      default -> 0;
    };
  }

  /** The model's parameters by their standard names, in order. */
  public List<Tensor> tensors() {
    return List.copyOf(places.keySet());
  }

  /**
   * Copies a standard tensor out of a flat vector.
   *
   * @throws InvalidInputException if the model has none of this name and shape
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
   * @param prefix what stands before the names of parameters in the source
   */
  public void fill(float[] values, TensorSource source, String prefix) {
    places.forEach(
        (tensor, place) -> {
          float[] read = new float[tensor.size()];
          source.read(new Tensor(prefix + tensor.name(), tensor.rows(), tensor.columns()), read, 0);
          place.scatter(tensor, read, values);
        });
  }

  /** Number of values, padding included. */
  public int size() {
    return size;
  }

  /** All matrices and vectors in order of offset; they cover the flat vector without gaps. */
  List<Slice> slices() {
    return slices;
  }

  Slice embedding() {
    return embedding;
  }

  Block block(int layer) {
    return blocks.get(layer);
  }

  Slice finalNorm() {
    return finalNorm;
  }

  /** The output head, a row for each token: the embedding where they are tied. */
  Slice head() {
    return head;
  }

  /** Padded width of the residual stream. */
  int width() {
    return width;
  }

  /** Padded width of one head. */
  int headWidth() {
    return headWidth;
  }

  int feedForward() {
    return feedForward;
  }

  /** Number of token ids, padded. */
  int vocabulary() {
    return vocabulary;
  }

  int queryWidth() {
    return c.heads() * headWidth;
  }

  int kvWidth() {
    return c.kvHeads() * headWidth;
  }

  /** Width of queries, keys and values of one token, side by side. */
  int qkvWidth() {
    return queryWidth() + 2 * kvWidth();
  }

  private static int padded(int n) {
    return (n + Kernels.LANES - 1) / Kernels.LANES * Kernels.LANES;
  }
}
