package org.vstar.model.engine;

import java.util.ArrayList;
import java.util.List;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * The parameters of a model by the names and shapes that Hugging Face's {@code transformers} gives
 * them: matrices are outputs × inputs.
 */
public final class ModelTensors {

  /** Token id → row. */
  public static final String EMBEDDING = "model.embed_tokens.weight";

  /** Gains of the norm behind the last block. */
  public static final String FINAL_NORM = "model.norm.weight";

  /** The output head, where it is not the embedding. */
  public static final String HEAD = "lm_head.weight";

  private static final String BLOCKS = "model.layers.";

  /** A block's linear maps, by what {@code transformers} and PEFT call them. */
  public enum Projection {
    QUERY("q_proj", "self_attn."),
    KEY("k_proj", "self_attn."),
    VALUE("v_proj", "self_attn."),
    OUTPUT("o_proj", "self_attn."),
    GATE("gate_proj", "mlp."),
    UP("up_proj", "mlp."),
    DOWN("down_proj", "mlp.");

    private final String shortName;
    private final String path;

    Projection(String shortName, String room) {
      this.shortName = shortName;
      this.path = room + shortName;
    }

    /** What PEFT's {@code target_modules} call it. */
    public String shortName() {
      return shortName;
    }

    /** Its module in a layer: {@code model.layers.3.self_attn.q_proj}. */
    public String module(int layer) {
      return block(layer) + path;
    }

    /** The name of its matrix. */
    public String weight(int layer) {
      return module(layer) + ".weight";
    }

    /** The name of its bias. */
    public String bias(int layer) {
      return module(layer) + ".bias";
    }

    /** Numbers that go in. */
    public int inputs(ModelConfig c) {
      return switch (this) {
        case OUTPUT -> c.queryWidth();
        case DOWN -> c.feedForward();
        default -> c.width();
      };
    }

    /** Numbers that come out. */
    public int outputs(ModelConfig c) {
      return switch (this) {
        case QUERY -> c.queryWidth();
        case KEY, VALUE -> c.kvWidth();
        case GATE, UP -> c.feedForward();
        case OUTPUT, DOWN -> c.width();
      };
    }

    /** Whether it adds a bias. */
    public boolean biased(ModelConfig c) {
      return switch (this) {
        case QUERY, KEY, VALUE -> c.qkvBias();
        case OUTPUT -> c.outputBias();
        case GATE, UP, DOWN -> c.feedForwardBias();
      };
    }
  }

  private ModelTensors() {}

  private static String block(int layer) {
    return BLOCKS + layer + ".";
  }

  /** Whether a tensor of this name belongs to a block. */
  public static boolean isOfBlock(String name) {
    return name.startsWith(BLOCKS);
  }

  /** The name of the gains before attention. */
  public static String attentionNorm(int layer) {
    return block(layer) + "input_layernorm.weight";
  }

  /** The name of the gains before SwiGLU. */
  public static String feedForwardNorm(int layer) {
    return block(layer) + "post_attention_layernorm.weight";
  }

  /** The name of the gains of each head's query. */
  public static String queryNorm(int layer) {
    return block(layer) + "self_attn.q_norm.weight";
  }

  /** The name of the gains of each head's key. */
  public static String keyNorm(int layer) {
    return block(layer) + "self_attn.k_norm.weight";
  }

  /**
   * All parameters of a model, in a fixed order.
   *
   * @param vocabulary number of token ids
   */
  public static List<Tensor> of(ModelConfig c, int vocabulary) {
    List<Tensor> tensors = new ArrayList<>();
    tensors.add(new Tensor(EMBEDDING, vocabulary, c.width()));
    for (int l = 0; l < c.layers(); l++) {
      for (Projection projection : Projection.values()) {
        tensors.add(new Tensor(projection.weight(l), projection.outputs(c), projection.inputs(c)));
        if (projection.biased(c)) {
          tensors.add(Tensor.vector(projection.bias(l), projection.outputs(c)));
        }
      }
      tensors.add(Tensor.vector(attentionNorm(l), c.width()));
      tensors.add(Tensor.vector(feedForwardNorm(l), c.width()));
      if (c.headNorm()) {
        tensors.add(Tensor.vector(queryNorm(l), c.headWidth()));
        tensors.add(Tensor.vector(keyNorm(l), c.headWidth()));
      }
    }
    tensors.add(Tensor.vector(FINAL_NORM, c.width()));
    if (!c.tied()) {
      tensors.add(new Tensor(HEAD, vocabulary, c.width()));
    }
    return tensors;
  }
}
