package org.vstar.model.engine.vector;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.weights.FlatTensors;
import org.vstar.model.weights.FlatTensors.Axis;
import org.vstar.model.weights.FlatTensors.Place;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout;

/** Where an adapter's matrices lie in a flat vector of their own; ranks are padded with zeros. */
final class AdapterLayout {

  /**
   * What is added to a projection: x·A·B.
   *
   * @param column the projection's first column in the matrix that it is a part of
   * @param down A, inputs × rank
   * @param up B, rank × outputs
   */
  record Pair(int column, Slice down, Slice up) {}

  private final FlatTensors flat = new FlatTensors();
  private final List<Map<Projection, Pair>> layers;

  AdapterLayout(LoraConfig lora, ModelConfig c, ParameterLayout base) {
    int rank = Kernels.padded(lora.rank());
    Map<String, Tensor> shapes = new HashMap<>();
    lora.tensors(c).forEach(tensor -> shapes.put(tensor.name(), tensor));
    layers =
        IntStream.range(0, c.layers())
            .<Map<Projection, Pair>>mapToObj(l -> new EnumMap<>(Projection.class))
            .toList();
    for (int l = 0; l < c.layers(); l++) {
      for (Projection p : Projection.values()) {
        if (lora.adapts(p)) {
          int outputs = base.outputs(p);
          Slice down = flat.add(base.matrix(p, l).rows(), rank);
          Slice up = flat.add(rank, outputs);
          layers.get(l).put(p, new Pair(base.column(p), down, up));
          Tensor a = shapes.get(LoraConfig.down(p, l));
          Tensor b = shapes.get(LoraConfig.up(p, l));
          flat.place(a, new Place(down.offset(), Axis.plain(1), base.inputAxis(p, rank)));
          flat.place(b, new Place(up.offset(), base.outputAxis(p), Axis.plain(outputs)));
        }
      }
    }
  }

  FlatTensors flat() {
    return flat;
  }

  /** What is added to each adapted projection of a layer. */
  Map<Projection, Pair> pairs(int layer) {
    return layers.get(layer);
  }
}
