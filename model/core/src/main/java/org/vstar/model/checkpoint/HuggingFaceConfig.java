package org.vstar.model.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.RopeScaling;

/**
 * A {@code config.json} as {@code transformers} reads it. A field that could change what the model
 * computes, and that is not known here, is an error that names it.
 *
 * @param architecture the model's class in {@code transformers}
 * @param model its shape
 * @param vocabulary number of token ids
 * @param type how its weights are stored, as the file says
 * @param endTokens ids that end a text, as the file says
 */
public record HuggingFaceConfig(
    Architecture architecture,
    ModelConfig model,
    int vocabulary,
    DType type,
    List<Integer> endTokens) {

  /** The architectures that are read, by the names of their classes. */
  public enum Architecture {
    LLAMA("LlamaForCausalLM", "llama"),
    MISTRAL("MistralForCausalLM", "mistral"),
    QWEN2("Qwen2ForCausalLM", "qwen2"),
    QWEN3("Qwen3ForCausalLM", "qwen3");

    private final String className;
    private final String modelType;

    Architecture(String className, String modelType) {
      this.className = className;
      this.modelType = modelType;
    }

    /** The class of {@code transformers}. */
    public String className() {
      return className;
    }

    String modelType() {
      return modelType;
    }
  }

  /**
   * Reads a config.
   *
   * @param where what it was read from, for messages
   * @throws InvalidInputException naming the field that is missing, wrong, or not supported
   */
  public static HuggingFaceConfig of(String where, JsonNode tree) {
    if (!(tree instanceof ObjectNode config)) {
      throw new InvalidInputException(where + ": expected a JSON object");
    }
    return new HuggingFaceConfigReader(where, config).read();
  }

  /** The ids of {@code eos_token_id}, which is one or a list. */
  static List<Integer> endTokens(JsonNode config) {
    List<Integer> ids = new ArrayList<>();
    JsonNode end = config.path("eos_token_id");
    for (JsonNode id : end.isArray() ? end : Json.MAPPER.createArrayNode().add(end)) {
      if (id.isInt()) {
        ids.add(id.asInt());
      }
    }
    return ids;
  }

  /** A config of the architecture that has what a shape has. */
  public static HuggingFaceConfig of(ModelConfig model, int vocabulary, List<Integer> endTokens) {
    Architecture architecture;
    if (model.headNorm()) {
      architecture = Architecture.QWEN3;
    } else if (model.qkvBias() && !model.outputBias()) {
      architecture = Architecture.QWEN2;
    } else {
      architecture = Architecture.LLAMA;
    }
    boolean fits = model.qkvBias() == model.outputBias() || architecture == Architecture.QWEN2;
    InvalidInputException.require(
        fits && (!model.feedForwardBias() || architecture == Architecture.LLAMA),
        "model",
        model,
        "biases that an architecture of transformers has");
    return new HuggingFaceConfig(architecture, model, vocabulary, DType.FLOAT32, endTokens);
  }

  /** What {@code transformers} reads. */
  public ObjectNode json() {
    ObjectNode json = Json.MAPPER.createObjectNode();
    json.putArray("architectures").add(architecture.className);
    json.put("model_type", architecture.modelType);
    json.put("hidden_act", "silu");
    json.put("hidden_size", model.width());
    json.put("intermediate_size", model.feedForward());
    json.put("num_hidden_layers", model.layers());
    json.put("num_attention_heads", model.heads());
    json.put("num_key_value_heads", model.kvHeads());
    json.put("head_dim", model.headWidth());
    json.put("max_position_embeddings", model.context());
    json.put("rms_norm_eps", model.normEpsilon());
    json.put("rope_theta", model.ropeTheta());
    json.set("rope_scaling", scaling(model.ropeScaling()));
    if (architecture != Architecture.QWEN2 && architecture != Architecture.MISTRAL) {
      json.put("attention_bias", model.qkvBias());
    }
    if (architecture == Architecture.LLAMA) {
      json.put("mlp_bias", model.feedForwardBias());
    }
    if (architecture == Architecture.MISTRAL) {
      // What transformers takes for one that is not said is 4096.
      json.putNull("sliding_window");
    }
    json.put("tie_word_embeddings", model.tied());
    json.put("vocab_size", vocabulary);
    if (!endTokens.isEmpty()) {
      json.set("eos_token_id", Json.MAPPER.valueToTree(endTokens));
    }
    json.put("torch_dtype", type.torchName());
    return json;
  }

  private static JsonNode scaling(RopeScaling scaling) {
    if (scaling == null) {
      return Json.MAPPER.nullNode();
    }
    ObjectNode json = Json.MAPPER.createObjectNode().put("factor", scaling.factor());
    if (scaling.kind() == RopeScaling.Kind.LINEAR) {
      return json.put("rope_type", "linear");
    }
    return json.put("rope_type", "llama3")
        .put("low_freq_factor", scaling.lowFrequencyFactor())
        .put("high_freq_factor", scaling.highFrequencyFactor())
        .put("original_max_position_embeddings", scaling.originalContext());
  }
}
