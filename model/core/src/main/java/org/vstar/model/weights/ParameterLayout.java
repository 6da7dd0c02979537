package org.vstar.model.weights;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.weights.FlatTensors.Axis;
import org.vstar.model.weights.FlatTensors.Place;
import org.vstar.model.weights.FlatTensors.Slice;

/**
 * Where each parameter lies in the one flat vector. Matrices are stored inputs × outputs, row by
 * row, so that a row of activations times the matrix is a row of outputs; queries, keys and values
 * share one matrix, and so do gates and ups. Widths are padded to multiples of 16 with zeros, which
 * training leaves zero: nothing flows into them.
 */
public final class ParameterLayout {

  /** One block's parameters; null where the model has none. */
  public record Block(
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

  private final ModelConfig c;
  private final int width;
  private final int headWidth;
  private final int feedForward;
  private final int vocabulary;
  private final FlatTensors flat = new FlatTensors();
  private final List<Block> blocks = new ArrayList<>();
  private final Slice embedding;
  private final Slice finalNorm;
  private final Slice head;

  /**
   * Lays a model out.
   *
   * @param tokens number of token ids
   * @throws org.vstar.common.InvalidInputException if it is too large
   */
  public ParameterLayout(ModelConfig c, int tokens) {
    this.c = c;
    width = Kernels.padded(c.width());
    headWidth = Kernels.padded(c.headWidth());
    feedForward = Kernels.padded(c.feedForward());
    vocabulary = Kernels.padded(tokens);
    embedding = add(vocabulary, width);
    for (int l = 0; l < c.layers(); l++) {
      blocks.add(
          new Block(
              flat.addVector(width),
              add(width, qkvWidth()),
              c.qkvBias() ? flat.addVector(qkvWidth()) : null,
              c.headNorm() ? flat.addVector(headWidth) : null,
              c.headNorm() ? flat.addVector(headWidth) : null,
              add(queryWidth(), width),
              c.outputBias() ? flat.addVector(width) : null,
              flat.addVector(width),
              add(width, 2 * feedForward),
              c.feedForwardBias() ? flat.addVector(2 * feedForward) : null,
              add(feedForward, width),
              c.feedForwardBias() ? flat.addVector(width) : null));
    }
    finalNorm = flat.addVector(width);
    head = c.tied() ? embedding : add(vocabulary, width);
    Map<String, Place> places = places();
    for (Tensor tensor : ModelTensors.of(c, tokens)) {
      flat.place(tensor, places.get(tensor.name()));
    }
  }

  private Slice add(int rows, int columns) {
    return flat.add(rows, columns);
  }

  private Map<String, Place> places() {
    Map<String, Place> byName = new HashMap<>();
    Axis down = Axis.plain(width);
    Axis across = Axis.plain(1);
    byName.put(ModelTensors.EMBEDDING, new Place(embedding.offset(), down, across));
    byName.put(ModelTensors.FINAL_NORM, new Place(finalNorm.offset(), across, across));
    byName.put(ModelTensors.HEAD, new Place(head.offset(), down, across));
    for (int l = 0; l < c.layers(); l++) {
      Block b = blocks.get(l);
      vector(byName, ModelTensors.attentionNorm(l), b.attentionNorm);
      vector(byName, ModelTensors.feedForwardNorm(l), b.feedForwardNorm);
      vector(byName, ModelTensors.queryNorm(l), b.queryNorm);
      vector(byName, ModelTensors.keyNorm(l), b.keyNorm);
      for (Projection p : Projection.values()) {
        Slice matrix = matrix(p, l);
        Axis inputs = inputAxis(p, matrix.columns());
        byName.put(p.weight(l), new Place(matrix.offset() + column(p), outputAxis(p), inputs));
        Slice bias = bias(p, l);
        if (bias != null) {
          byName.put(p.bias(l), new Place(bias.offset() + column(p), across, outputAxis(p)));
        }
      }
    }
    return byName;
  }

  /** How a projection's inputs are counted, so many values apart. */
  public Axis inputAxis(Projection p, int stride) {
    return p == Projection.OUTPUT ? headed(stride) : Axis.plain(stride);
  }

  /** How a projection's outputs are counted. */
  public Axis outputAxis(Projection p) {
    return heads(p) ? headed(1) : Axis.plain(1);
  }

  private static void vector(Map<String, Place> places, String name, Slice slice) {
    if (slice != null) {
      places.put(name, new Place(slice.offset(), Axis.plain(1), Axis.plain(1)));
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
  public Slice matrix(Projection p, int layer) {
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
  public int column(Projection p) {
    return switch (p) {
      case KEY -> queryWidth();
      case VALUE -> queryWidth() + kvWidth();
      case UP -> feedForward;
      default -> 0;
    };
  }

  /** Number of values a token has behind a projection, padded. */
  public int outputs(Projection p) {
    return switch (p) {
      case QUERY -> queryWidth();
      case KEY, VALUE -> kvWidth();
      case GATE, UP -> feedForward;
      case OUTPUT, DOWN -> width;
    };
  }

  /** What lies where. */
  public FlatTensors flat() {
    return flat;
  }

  /** Number of values, padding included. */
  public int size() {
    return flat.size();
  }

  /** A row for each token. */
  public Slice embedding() {
    return embedding;
  }

  /** A block's parameters. */
  public Block block(int layer) {
    return blocks.get(layer);
  }

  /** The gains before the output head. */
  public Slice finalNorm() {
    return finalNorm;
  }

  /** The output head, a row for each token: the embedding where they are tied. */
  public Slice head() {
    return head;
  }

  /** Padded width of the residual stream. */
  public int width() {
    return width;
  }

  /** Padded width of one head. */
  public int headWidth() {
    return headWidth;
  }

  /** Padded width of gates, and of ups. */
  public int feedForward() {
    return feedForward;
  }

  /** Number of token ids, padded. */
  public int vocabulary() {
    return vocabulary;
  }

  /** Padded width of all heads' queries. */
  public int queryWidth() {
    return c.heads() * headWidth;
  }

  /** Padded width of all heads' keys, and of their values. */
  public int kvWidth() {
    return c.kvHeads() * headWidth;
  }

  /** Width of queries, keys and values of one token, side by side. */
  public int qkvWidth() {
    return queryWidth() + 2 * kvWidth();
  }
}
