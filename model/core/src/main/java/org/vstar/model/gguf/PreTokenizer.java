package org.vstar.model.gguf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.vstar.common.Json;

/**
 * How a text is parted before pairs of bytes are merged. A GGUF file names it ({@code
 * tokenizer.ggml.pre}); here are the parts of the {@code tokenizer.json} that the named models were
 * published with.
 */
enum PreTokenizer {
  /** Words, numbers and punctuation, each with the space before it. */
  GPT2(null, false),
  /** The same, and every digit by itself. */
  DIGITS(null, false),
  /** Numbers in groups of three; a word of the vocabulary is one token, however it is merged. */
  LLAMA3(words("\\p{N}{1,3}", ""), true),
  /** Every digit by itself; text is normalized (NFC). */
  QWEN2(words("\\p{N}", ""), false),
  /** Upper and lower case apart, every digit by itself. */
  TEKKEN(
      "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|"
          + "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|"
          + rest("\\p{N}", "/"),
      true);

  private static final Map<String, PreTokenizer> NAMES = new TreeMap<>();

  static {
    named(GPT2, "gpt-2", "mpt", "olmo", "jais", "trillion", "granite-docling");
    named(DIGITS, "smollm", "starcoder", "refact", "command-r", "codeshell", "exaone");
    named(LLAMA3, "llama3", "llama-v3", "llama-bpe", "falcon3");
    named(QWEN2, "qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez");
    named(TEKKEN, "tekken");
  }

  private final String pattern;
  private final boolean ignoresMerges;

  PreTokenizer(String pattern, boolean ignoresMerges) {
    this.pattern = pattern;
    this.ignoresMerges = ignoresMerges;
  }

  private static void named(PreTokenizer kind, String... names) {
    List.of(names).forEach(name -> NAMES.put(name, kind));
  }

  private static String words(String number, String tail) {
    return "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" + rest(number, tail);
  }

  private static String rest(String number, String tail) {
    return number + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n" + tail + "]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
  }

  /** The one of a name. */
  static Optional<PreTokenizer> of(String name) {
    return Optional.ofNullable(NAMES.get(name));
  }

  /** The names there are, for messages. */
  static String known() {
    return String.join(", ", NAMES.keySet());
  }

  /** Whether a word that is in the vocabulary is one token, even if merges do not make it. */
  boolean ignoresMerges() {
    return ignoresMerges;
  }

  /** The {@code normalizer}; none for most. */
  Optional<ObjectNode> normalizer() {
    return this == QWEN2 ? Optional.of(node("NFC")) : Optional.empty();
  }

  /** The {@code pre_tokenizer}. */
  ObjectNode json() {
    ObjectNode bytes = byteLevel().put("use_regex", pattern == null);
    if (this == GPT2) {
      return bytes;
    }
    ObjectNode first =
        pattern == null
            ? node("Digits").put("individual_digits", true)
            : node("Split").put("behavior", "Isolated").put("invert", false);
    if (pattern != null) {
      first.putObject("pattern").put("Regex", pattern);
    }
    ObjectNode sequence = node("Sequence");
    ArrayNode steps = sequence.putArray("pretokenizers");
    steps.add(first).add(bytes);
    return sequence;
  }

  /** Bytes as letters, without a space put before a text. */
  static ObjectNode byteLevel() {
    return node("ByteLevel").put("add_prefix_space", false).put("trim_offsets", false);
  }

  static ObjectNode node(String type) {
    return Json.MAPPER.createObjectNode().put("type", type);
  }
}
