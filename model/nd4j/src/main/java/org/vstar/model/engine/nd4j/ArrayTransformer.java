package org.vstar.model.engine.nd4j;

import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.nd4j.Tape.Node;

/**
 * The forward pass over tokens that lie one behind the other, whatever sequences they are of.
 *
 * @param base the model's parameters
 * @param lora null if the model is not adapted
 * @param adapter its tensors, or null
 */
record ArrayTransformer(ModelConfig config, Parameters base, LoraConfig lora, Parameters adapter) {

  /** What is trained: the adapter if there is one, else the parameters. */
  Parameters trained() {
    return lora == null ? base : adapter;
  }

  /** How tokens look at one another in a layer. */
  interface Attention {
    Node attend(int layer, Node queries, Node keys, Node values);
  }

  /** One pass: a tape, the places of the tokens, and where gradients go. */
  final class Pass {
    private final Tape tape;
    private final RotaryTable.Rotation rotation;
    private final Parameters gradient;

    /**
     * Begins a pass.
     *
     * @param gradient where to add gradients of what is trained, or null
     */
    Pass(Tape tape, RotaryTable.Rotation rotation, Parameters gradient) {
      this.tape = tape;
      this.rotation = rotation;
      this.gradient = gradient;
    }

    private Node parameter(String name) {
      return new Node(base.get(name), gradient == null || lora != null ? null : gradient.get(name));
    }

    private Node adapterTensor(String name) {
      return new Node(adapter.get(name), gradient == null ? null : gradient.get(name));
    }

    /** What predicts tokens with {@link #head}, of all tokens. */
    Node hidden(int[] ids, Attention attention) {
      Node x = tape.rows(parameter(ModelTensors.EMBEDDING), ids);
      for (int l = 0; l < config.layers(); l++) {
        x = block(l, x, attention);
      }
      return norm(x, ModelTensors.FINAL_NORM);
    }

    Node head() {
      return parameter(config.tied() ? ModelTensors.EMBEDDING : ModelTensors.HEAD);
    }

    private Node norm(Node x, String gain) {
      return tape.rmsNorm(x, parameter(gain), config.normEpsilon());
    }

    private Node project(Node x, Projection p, int layer) {
      Node bias = p.biased(config) ? parameter(p.bias(layer)) : null;
      Node y = tape.linear(x, parameter(p.weight(layer)), bias);
      if (lora == null || !lora.adapts(p)) {
        return y;
      }
      Node low = tape.linear(x, adapterTensor(LoraConfig.down(p, layer)), null);
      Node added = tape.linear(low, adapterTensor(LoraConfig.up(p, layer)), null);
      return tape.add(y, added, lora.scale());
    }

    private Node block(int l, Node x, Attention attention) {
      Node normed = norm(x, ModelTensors.attentionNorm(l));
      Node queries = project(normed, Projection.QUERY, l);
      Node keys = project(normed, Projection.KEY, l);
      Node values = project(normed, Projection.VALUE, l);
      if (config.headNorm()) {
        queries = norm(queries, ModelTensors.queryNorm(l));
        keys = norm(keys, ModelTensors.keyNorm(l));
      }
      queries = tape.rotate(queries, rotation.cos(), rotation.sin());
      keys = tape.rotate(keys, rotation.cos(), rotation.sin());
      Node attended = attention.attend(l, queries, keys, values);
      Node middle = tape.add(x, project(attended, Projection.OUTPUT, l), 1);
      Node inner = norm(middle, ModelTensors.feedForwardNorm(l));
      Node gate = project(inner, Projection.GATE, l);
      Node up = project(inner, Projection.UP, l);
      return tape.add(middle, project(tape.swiglu(gate, up), Projection.DOWN, l), 1);
    }
  }
}
