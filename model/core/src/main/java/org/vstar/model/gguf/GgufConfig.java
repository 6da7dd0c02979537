package org.vstar.model.gguf;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.vstar.common.InvalidInputException;
import org.vstar.model.checkpoint.HuggingFaceConfig;
import org.vstar.model.checkpoint.HuggingFaceConfig.Architecture;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.RopeScaling;
import org.vstar.model.gguf.GgufFile.StoredTensor;

/**
 * The shape of a GGUF file's model. What could change what the model computes, and that Vstar does
 * not compute, is an error that names it.
 */
final class GgufConfig {

  /** Factors that rotary frequencies are divided by; a config says the rule that they follow. */
  static final String ROPE_FACTORS = "rope_freqs.weight";

  private static final String ARCHITECTURE = "general.architecture";

  /** Mistral's models are written as {@code llama}; their weights compute the same. */
  private static final Map<String, Architecture> ARCHITECTURES =
      Map.of(
          "llama",
          Architecture.LLAMA,
          "mistral",
          Architecture.MISTRAL,
          "qwen2",
          Architecture.QWEN2,
          "qwen3",
          Architecture.QWEN3);

  private static final double DEFAULT_THETA = 10_000;

  /** Llama 3.1 to 3.3 stretch frequencies by these; a file has the result, not the rule. */
  private static final double LOW_FREQUENCIES = 1;

  private static final double HIGH_FREQUENCIES = 4;

  private static final int FIRST_CONTEXT = 8192;

  /** Factors are float32. */
  private static final double CLOSE = 1e-4;

  private final GgufFile file;
  private final GgufMetadata metadata;
  private final String name;

  GgufConfig(GgufFile file) {
    this.file = file;
    metadata = file.metadata();
    name = metadata.require(ARCHITECTURE, metadata.text(ARCHITECTURE));
  }

  /** Whether rows of queries and keys are in llama.cpp's order. */
  static boolean isInterleaved(GgufMetadata metadata) {
    return metadata.text(ARCHITECTURE).filter("llama"::equals).isPresent();
  }

  HuggingFaceConfig read() {
    Architecture architecture = ARCHITECTURES.get(name);
    if (architecture == null) {
      throw metadata.wrong(
          ARCHITECTURE, name, "one of " + String.join(", ", new TreeSet<>(ARCHITECTURES.keySet())));
    }
    refuse("expert_count");
    refuse("attention.sliding_window");
    int vocabulary = stored("token_embd.weight").rows();
    int width = same("embedding_length");
    int heads = same("attention.head_count");
    int context = same("context_length");
    try {
      ModelConfig model =
          new ModelConfig(
              same("block_count"),
              width,
              heads,
              metadata.same(key("attention.head_count_kv")).orElse(heads),
              same("feed_forward_length"),
              context,
              metadata.number(key("rope.freq_base")).orElse(DEFAULT_THETA),
              required("attention.layer_norm_rms_epsilon", metadata::number),
              has("blk.0.attn_q.bias"),
              headWidth(heads),
              has("blk.0.attn_q_norm.weight"),
              has("blk.0.attn_output.bias"),
              has("blk.0.ffn_gate.bias"),
              !has("output.weight"),
              ropeScaling());
      return new HuggingFaceConfig(
          architecture,
          model,
          vocabulary,
          DType.FLOAT32,
          GgufTokenizer.endTokens(metadata, vocabulary));
    } catch (InvalidInputException e) {
      boolean told = e.getMessage().startsWith(metadata.file());
      throw told ? e : new InvalidInputException(metadata.file() + ": " + e.getMessage(), e);
    }
  }

  private String key(String suffix) {
    return name + "." + suffix;
  }

  private int same(String suffix) {
    return required(suffix, metadata::same);
  }

  private <T> T required(String suffix, Function<String, Optional<T>> read) {
    return metadata.require(key(suffix), read.apply(key(suffix)));
  }

  private boolean has(String tensor) {
    return file.tensors().containsKey(tensor);
  }

  private StoredTensor stored(String tensor) {
    if (!has(tensor)) {
      throw new InvalidInputException(metadata.file() + " has no tensor '" + tensor + "'");
    }
    return file.tensors().get(tensor);
  }

  /** What would change the model where it is not 0. */
  private void refuse(String suffix) {
    int value = metadata.same(key(suffix)).orElse(0);
    boolean whole =
        suffix.equals("attention.sliding_window")
            && value >= metadata.same(key("context_length")).orElse(Integer.MAX_VALUE);
    if (value != 0 && !whole) {
      throw metadata.wrong(key(suffix), value, "0: Vstar's engines do not compute it");
    }
  }

  /** All of a head is rotated; its size is said, or follows from the queries' rows. */
  private int headWidth(int heads) {
    int rows = stored("blk.0.attn_q.weight").rows();
    int head = metadata.integer(key("attention.key_length")).orElse(rows / Math.max(1, heads));
    for (String suffix : Set.of("rope.dimension_count", "attention.value_length")) {
      int other = metadata.integer(key(suffix)).orElse(head);
      if (other != head) {
        throw metadata.wrong(key(suffix), other, head + ", as a head's keys have");
      }
    }
    return head;
  }

  /** As llama.cpp reads it: a factor without a type is linear, and a factor of 0 is none. */
  private RopeScaling ropeScaling() {
    String kind = metadata.text(key("rope.scaling.type")).orElse("linear");
    double factor =
        metadata
            .number(key("rope.scaling.factor"))
            .or(() -> metadata.number(key("rope.scale_linear")))
            .filter(written -> written != 0)
            .orElse(1.0);
    if (!Set.of("none", "linear").contains(kind)) {
      throw metadata.wrong(key("rope.scaling.type"), kind, "none or linear");
    }
    double linear = kind.equals("linear") ? factor : 1;
    if (!has(ROPE_FACTORS)) {
      return linear == 1 ? null : RopeScaling.linear(linear);
    }
    if (linear != 1) {
      throw metadata.wrong(key("rope.scaling.factor"), linear, "1 where there are factors too");
    }
    return llama3();
  }

  /** The rule whose factors a file has. */
  private RopeScaling llama3() {
    float[] factors = file.read(stored(ROPE_FACTORS));
    double largest = 1;
    for (float factor : factors) {
      largest = Math.max(largest, factor);
    }
    RopeScaling rule =
        new RopeScaling(
            RopeScaling.Kind.LLAMA3, largest, LOW_FREQUENCIES, HIGH_FREQUENCIES, FIRST_CONTEXT);
    double theta = metadata.number(key("rope.freq_base")).orElse(DEFAULT_THETA);
    for (int i = 0; i < factors.length; i++) {
      double frequency = StrictMath.pow(theta, -(double) i / factors.length);
      double expected = frequency / rule.of(frequency);
      if (!(Math.abs(factors[i] - expected) <= CLOSE * expected)) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s: tensor '%s' has %s at position %d, Llama 3's rule for a factor of %s gives %s",
                metadata.file(),
                ROPE_FACTORS,
                factors[i],
                i,
                largest,
                expected));
      }
    }
    return rule;
  }
}
