package org.vstar.model.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.HuggingFaceConfig.Architecture;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.RopeScaling;

/** Reads a {@code config.json} field by field, and knows which it has seen. */
final class HuggingFaceConfigReader {
  private static final int QWEN3_HEAD = 128;
  private static final double DEFAULT_THETA = 10_000;
  private static final double DEFAULT_EPSILON = 1e-6;

  /**
   * Fields that change nothing here: bookkeeping, starts of training, what only dropout, writers
   * and other programs use. So do fields whose name begins with an underscore, and those that are
   * null, false or empty.
   */
  private static final Set<String> HARMLESS =
      Set.of(
          "architectures",
          "transformers_version",
          "torch_dtype",
          "dtype",
          "use_cache",
          "bos_token_id",
          "eos_token_id",
          "pad_token_id",
          "unk_token_id",
          "initializer_range",
          "attention_dropout",
          "max_window_layers",
          "return_dict",
          "output_attentions",
          "output_hidden_states",
          "chunk_size_feed_forward",
          "is_encoder_decoder",
          "unsloth_fixed",
          "unsloth_version",
          "model_name",
          "id2label",
          "label2id",
          "problem_type",
          "task_specific_params",
          "tokenizer_class",
          "bos_token",
          "eos_token",
          // A causal model is a decoder whatever this says.
          "is_decoder",
          "is_llama_config",
          "max_sequence_length",
          "model_max_length",
          "transformers.js_config",
          "auto_map",
          // How generate samples, which our config says for itself.
          "max_length",
          "min_length",
          "do_sample",
          "temperature",
          "top_k",
          "top_p",
          "typical_p",
          "repetition_penalty",
          "length_penalty",
          "no_repeat_ngram_size",
          "encoder_no_repeat_ngram_size",
          "num_beams",
          "num_beam_groups",
          "num_return_sequences",
          "diversity_penalty",
          "early_stopping",
          "sep_token_id",
          "decoder_start_token_id",
          "prefix",
          "torchscript",
          "use_bfloat16",
          "output_scores",
          "return_dict_in_generate");

  private final String where;
  private final ObjectNode config;
  private final Set<String> seen = new TreeSet<>(HARMLESS);

  HuggingFaceConfigReader(String where, ObjectNode config) {
    this.where = where;
    this.config = config;
  }

  HuggingFaceConfig read() {
    Architecture architecture = architecture();
    boolean qwen = architecture == Architecture.QWEN2 || architecture == Architecture.QWEN3;
    require("hidden_act", "silu", node -> "silu".equals(node.asText()));
    require("pretraining_tp", "1", node -> node.asInt() == 1);
    require("rope_interleaved", "false", node -> !node.asBoolean(true));
    require("use_mrope", "false", node -> !node.asBoolean(true));
    require("partial_rotary_factor", "1", node -> node.asDouble() == 1);
    require("layer_types", "full_attention in every layer", HuggingFaceConfigReader::allFull);
    boolean windows = qwen && !config.path("use_sliding_window").asBoolean(false);
    require("use_sliding_window", "false", node -> !node.asBoolean(true));
    require(
        "sliding_window",
        "null",
        node -> windows || node.asInt() >= config.path("max_position_embeddings").asInt());
    int width = positive("hidden_size");
    int heads = positive("num_attention_heads");
    JsonNode rope = rope();
    boolean biased = flag("attention_bias", architecture == Architecture.QWEN2);
    if (architecture == Architecture.QWEN2 || architecture == Architecture.MISTRAL) {
      boolean always = architecture == Architecture.QWEN2;
      require("attention_bias", String.valueOf(always), node -> node.asBoolean() == always);
    }
    boolean outputBias = biased && architecture != Architecture.QWEN2;
    boolean feedForwardBias = flag("mlp_bias", false);
    if (architecture != Architecture.LLAMA) {
      require("mlp_bias", "false", node -> !node.asBoolean(true));
    }
    ModelConfig model =
        model(
            () ->
                new ModelConfig(
                    positive("num_hidden_layers"),
                    width,
                    heads,
                    has("num_key_value_heads") ? positive("num_key_value_heads") : heads,
                    positive("intermediate_size"),
                    positive("max_position_embeddings"),
                    number(rope, "rope_theta", number(config, "rope_theta", DEFAULT_THETA)),
                    number(config, "rms_norm_eps", DEFAULT_EPSILON),
                    biased,
                    headWidth(architecture, width, heads),
                    architecture == Architecture.QWEN3,
                    outputBias,
                    feedForwardBias,
                    flag("tie_word_embeddings", false),
                    scaling(rope)));
    int vocabulary = positive("vocab_size");
    refuseUnknown();
    return new HuggingFaceConfig(
        architecture, model, vocabulary, type(), HuggingFaceConfig.endTokens(config));
  }

  private Architecture architecture() {
    seen.add("model_type");
    String type = config.path("model_type").asText();
    String named = config.path("architectures").path(0).asText();
    return Arrays.stream(Architecture.values())
        .filter(a -> named.isEmpty() ? a.modelType().equals(type) : a.className().equals(named))
        .findFirst()
        .orElseThrow(
            () ->
                wrong(
                    named.isEmpty() ? "model_type" : "architectures",
                    config.get(named.isEmpty() ? "model_type" : "architectures"),
                    "one of "
                        + Arrays.stream(Architecture.values())
                            .map(Architecture::className)
                            .toList()));
  }

  /** Ranges of the shape are told with the file. */
  private ModelConfig model(Supplier<ModelConfig> made) {
    try {
      return made.get();
    } catch (InvalidInputException e) {
      boolean told = e.getMessage().startsWith(where);
      throw told ? e : new InvalidInputException(where + ": " + e.getMessage(), e);
    }
  }

  private boolean has(String field) {
    seen.add(field);
    return config.hasNonNull(field);
  }

  /** A field that may be absent or null, and otherwise has to be as this is. */
  private void require(String field, String expected, Predicate<JsonNode> fits) {
    if (has(field) && !fits.test(config.get(field))) {
      throw wrong(field, config.get(field), expected);
    }
  }

  private static boolean allFull(JsonNode types) {
    boolean full = types.isArray();
    for (JsonNode type : types) {
      full &= type.asText().equals("full_attention");
    }
    return full;
  }

  private int positive(String field) {
    JsonNode value = has(field) ? config.get(field) : null;
    if (value == null || !value.isInt() || value.asInt() <= 0) {
      throw wrong(field, value, "a whole number above 0");
    }
    return value.asInt();
  }

  private double number(JsonNode from, String field, double otherwise) {
    seen.add(field);
    JsonNode value = from.path(field);
    if (value.isMissingNode() || value.isNull()) {
      return otherwise;
    }
    if (!value.isNumber()) {
      throw wrong(field, value, "a number");
    }
    return value.asDouble();
  }

  private boolean flag(String field, boolean otherwise) {
    if (!has(field)) {
      return otherwise;
    }
    if (!config.get(field).isBoolean()) {
      throw wrong(field, config.get(field), "true or false");
    }
    return config.get(field).asBoolean();
  }

  private int headWidth(Architecture architecture, int width, int heads) {
    if (has("head_dim")) {
      return positive("head_dim");
    }
    if (architecture == Architecture.QWEN3) {
      return QWEN3_HEAD;
    }
    if (width % heads != 0) {
      throw wrong(
          "num_attention_heads",
          config.get("num_attention_heads"),
          "a divisor of " + "hidden_size, or a head_dim");
    }
    return width / heads;
  }

  /** {@code rope_scaling}, which newer versions call {@code rope_parameters}. */
  private JsonNode rope() {
    boolean both = has("rope_scaling") && has("rope_parameters");
    if (both && !config.get("rope_scaling").equals(config.get("rope_parameters"))) {
      throw wrong("rope_scaling", config.get("rope_scaling"), "what rope_parameters says");
    }
    String field = ropeField();
    return has(field) ? config.get(field) : Json.MAPPER.createObjectNode();
  }

  private String ropeField() {
    return has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  }

  private RopeScaling scaling(JsonNode rope) {
    String field = ropeField();
    String kind = rope.path("rope_type").asText(rope.path("type").asText("default"));
    Set<String> known = new TreeSet<>(Set.of("rope_type", "type", "rope_theta"));
    known.add("partial_rotary_factor");
    if (number(rope, "partial_rotary_factor", 1) != 1) {
      throw wrong(
          field + ".partial_rotary_factor",
          rope.get("partial_rotary_factor"),
          "1: all of a head is rotated");
    }
    RopeScaling scaling =
        switch (kind) {
          case "default" -> null;
          case "linear" -> {
            known.add("factor");
            yield RopeScaling.linear(number(rope, "factor", Double.NaN));
          }
          case "llama3" -> {
            known.addAll(
                List.of(
                    "factor",
                    "low_freq_factor",
                    "high_freq_factor",
                    "original_max_position_embeddings"));
            yield new RopeScaling(
                RopeScaling.Kind.LLAMA3,
                number(rope, "factor", Double.NaN),
                number(rope, "low_freq_factor", Double.NaN),
                number(rope, "high_freq_factor", Double.NaN),
                (int) number(rope, "original_max_position_embeddings", 0));
          }
          default -> throw wrong(field, rope, "the type default, linear or llama3");
        };
    rope.fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name) && says(rope.get(name))) {
                throw wrong(field + "." + name, rope.get(name), "it not to be there");
              }
            });
    return scaling;
  }

  private DType type() {
    String field = config.hasNonNull("dtype") ? "dtype" : "torch_dtype";
    String name = config.path(field).asText("float32");
    return DType.ofTorch(name)
        .orElseThrow(() -> wrong(field, config.get(field), "float32, float16 or bfloat16"));
  }

  private void refuseUnknown() {
    config
        .fieldNames()
        .forEachRemaining(
            field -> {
              if (!seen.contains(field) && !field.startsWith("_") && says(config.get(field))) {
                throw new InvalidInputException(
                    String.format(
                        Locale.ROOT,
                        "%s: field '%s' (%s) is not known to Vstar, and may change what the model"
                            + " computes",
                        where,
                        field,
                        config.get(field)));
              }
            });
  }

  /** Null, false and empty values ask for nothing. */
  private static boolean says(JsonNode value) {
    boolean empty = value.isContainerNode() ? value.isEmpty() : value.asText().isEmpty();
    return !value.isNull() && !empty && !(value.isBoolean() && !value.asBoolean());
  }

  private InvalidInputException wrong(String field, JsonNode value, String expected) {
    return new InvalidInputException(
        String.format(
            Locale.ROOT,
            "%s: field '%s' is %s, expected %s",
            where,
            field,
            value == null ? "missing" : value,
            expected));
  }
}
