package org.vstar.model.gguf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;

/**
 * The tokenizer that a GGUF file's metadata describe, as {@code tokenizer.json} and {@code
 * tokenizer_config.json}: byte-level pair encoding ({@code gpt2}), or SentencePiece's ({@code
 * llama}).
 */
final class GgufTokenizer {

  private static final String PREFIX = "tokenizer.ggml.";
  private static final String MODEL = PREFIX + "model";
  private static final String PRE = PREFIX + "pre";
  private static final String DEFAULT = "default";
  private static final String TOKENS = PREFIX + "tokens";
  private static final String END = PREFIX + "eos_token_id";
  private static final String UNKNOWN = PREFIX + "unknown_token_id";

  /** In the vocabulary of Llama 3. */
  private static final String LLAMA3_BEGIN = "<|begin_of_text|>";

  /** SentencePiece's letter for a space. */
  private static final String SPACE = "\u2581";

  private static final int TYPE_UNKNOWN = 2;
  private static final int TYPE_CONTROL = 3;
  private static final int TYPE_USER_DEFINED = 4;

  /** Tokens with a meaning, by their names in {@code tokenizer_config.json}. */
  private static final Map<String, String> NAMED =
      Map.of(
          "bos_token",
          PREFIX + "bos_token_id",
          "eos_token",
          END,
          "unk_token",
          UNKNOWN,
          "pad_token",
          PREFIX + "padding_token_id");

  private final GgufMetadata metadata;
  private final List<String> tokens;
  private final Map<String, Integer> ids = new LinkedHashMap<>();

  /**
   * The tokenizer of a file.
   *
   * @throws InvalidInputException if it has none
   */
  GgufTokenizer(GgufMetadata metadata) {
    this.metadata = metadata;
    tokens = metadata.require(TOKENS, metadata.texts(TOKENS));
    for (int id = 0; id < tokens.size(); id++) {
      if (ids.put(tokens.get(id), id) != null) {
        throw metadata.wrong(TOKENS, "'" + tokens.get(id) + "' twice", "each token once");
      }
    }
  }

  /**
   * The ids that end an answer.
   *
   * @param vocabulary number of token ids of the model
   */
  static List<Integer> endTokens(GgufMetadata metadata, int vocabulary) {
    Set<Integer> ends = new TreeSet<>();
    for (String key : List.of(END, PREFIX + "eot_token_id", PREFIX + "eom_token_id")) {
      metadata.token(key, vocabulary).ifPresent(ends::add);
    }
    return List.copyOf(ends);
  }

  /** How many tokens there are. */
  int size() {
    return tokens.size();
  }

  /** The content of {@code tokenizer.json}. */
  String json() {
    String kind = metadata.require(MODEL, metadata.text(MODEL));
    ObjectNode root = Json.MAPPER.createObjectNode().put("version", "1.0");
    root.putNull("truncation").putNull("padding");
    root.set("added_tokens", addedTokens());
    switch (kind) {
      case "gpt2" -> byteLevel(root);
      case "llama" -> sentencePiece(root);
      default -> throw metadata.wrong(MODEL, kind, "gpt2 or llama");
    }
    return root.toString();
  }

  private ArrayNode addedTokens() {
    List<Number> types = metadata.numbers(PREFIX + "token_type").orElse(List.of());
    Set<Integer> special = new LinkedHashSet<>(endTokens(metadata, tokens.size()));
    NAMED.values().forEach(key -> id(key).ifPresent(special::add));
    ArrayNode added = Json.MAPPER.createArrayNode();
    for (int id = 0; id < tokens.size(); id++) {
      int type = id < types.size() ? types.get(id).intValue() : 1;
      boolean isSpecial = special.contains(id) || type == TYPE_CONTROL || type == TYPE_UNKNOWN;
      if (isSpecial || type == TYPE_USER_DEFINED) {
        added
            .addObject()
            .put("id", id)
            .put("content", tokens.get(id))
            .put("single_word", false)
            .put("lstrip", false)
            .put("rstrip", false)
            .put("normalized", false)
            .put("special", isSpecial);
      }
    }
    return added;
  }

  private void byteLevel(ObjectNode root) {
    PreTokenizer pre = preTokenizer();
    root.set("normalizer", pre.normalizer().orElse(null));
    root.set("pre_tokenizer", pre.json());
    root.set(
        "post_processor",
        postProcessor(Optional.of(PreTokenizer.byteLevel()), pre.ignoresMerges()));
    root.set("decoder", PreTokenizer.byteLevel().put("use_regex", true));
    ObjectNode model = model(root, false).put("ignore_merges", pre.ignoresMerges());
    String key = PREFIX + "merges";
    model.set("merges", Json.MAPPER.valueToTree(metadata.require(key, metadata.texts(key))));
  }

  /** The first files of Qwen2 and Llama 3 do not say how text is parted; others are GPT-2's. */
  private PreTokenizer preTokenizer() {
    boolean qwen = metadata.text("general.architecture").orElse("").startsWith("qwen");
    String first = qwen ? "qwen2" : ids.containsKey(LLAMA3_BEGIN) ? "llama3" : DEFAULT;
    String name = metadata.text(PRE).orElse(first);
    if (name.equals(DEFAULT)) {
      return PreTokenizer.GPT2;
    }
    return PreTokenizer.of(name)
        .orElseThrow(
            () ->
                metadata.wrong(
                    PRE,
                    name,
                    "one of "
                        + PreTokenizer.known()
                        + "; --tokenizer DIR takes the tokenizer of another folder"));
  }

  private ObjectNode model(ObjectNode root, boolean sentencePiece) {
    ObjectNode model = root.putObject("model").put("type", "BPE");
    model.putNull("dropout").putNull("continuing_subword_prefix").putNull("end_of_word_suffix");
    Optional<String> unknown =
        Optional.of(UNKNOWN).filter(key -> sentencePiece).flatMap(this::id).map(tokens::get);
    model.put("unk_token", unknown.orElse(null));
    model.put("fuse_unk", sentencePiece).put("byte_fallback", sentencePiece);
    ObjectNode vocabulary = model.putObject("vocab");
    ids.forEach(vocabulary::put);
    return model;
  }

  private Optional<Integer> id(String key) {
    return metadata.token(key, tokens.size());
  }

  /**
   * What {@code transformers} puts before a text where it is asked for special tokens.
   *
   * @param otherwise what stands there where nothing is put before it
   * @param always whether llama.cpp puts the first token there if the file says nothing of it
   */
  private ObjectNode postProcessor(Optional<ObjectNode> otherwise, boolean always) {
    boolean begins = metadata.flag(PREFIX + "add_bos_token").orElse(always);
    Optional<Integer> begin = id(NAMED.get("bos_token")).filter(found -> begins);
    if (begin.isEmpty()) {
      return otherwise.orElse(null);
    }
    String token = tokens.get(begin.get());
    ObjectNode processor = PreTokenizer.node("TemplateProcessing");
    ArrayNode single = processor.putArray("single");
    special(single, token);
    sequence(single, "A");
    ArrayNode pair = processor.putArray("pair");
    special(pair, token);
    sequence(pair, "A");
    special(pair, token);
    sequence(pair, "B");
    ObjectNode named = processor.putObject("special_tokens").putObject(token);
    named.put("id", token).putArray("ids").add(begin.get());
    named.putArray("tokens").add(token);
    return processor;
  }

  private static void special(ArrayNode to, String token) {
    to.addObject().putObject("SpecialToken").put("id", token).put("type_id", 0);
  }

  private static void sequence(ArrayNode to, String id) {
    to.addObject().putObject("Sequence").put("id", id).put("type_id", 0);
  }

  private void sentencePiece(ObjectNode root) {
    boolean prefix = metadata.flag(PREFIX + "add_space_prefix").orElse(true);
    root.putNull("normalizer");
    root.set(
        "pre_tokenizer",
        PreTokenizer.node("Metaspace")
            .put("replacement", SPACE)
            .put("prepend_scheme", prefix ? "first" : "never")
            .put("split", false));
    root.set("post_processor", postProcessor(Optional.empty(), true));
    ObjectNode decoder = PreTokenizer.node("Sequence");
    ArrayNode steps = decoder.putArray("decoders");
    steps
        .addObject()
        .put("type", "Replace")
        .put("content", " ")
        .putObject("pattern")
        .put("String", SPACE);
    steps.add(PreTokenizer.node("ByteFallback")).add(PreTokenizer.node("Fuse"));
    if (prefix) {
      steps.add(PreTokenizer.node("Strip").put("content", " ").put("start", 1).put("stop", 0));
    }
    root.set("decoder", decoder);
    ObjectNode model = model(root, true).put("ignore_merges", false);
    ArrayNode merges = model.putArray("merges");
    merges().forEach(merge -> merges.addArray().add(merge.left).add(merge.right));
  }

  private record Merge(String left, String right, double score) {}

  /**
   * SentencePiece merges the pair whose token has the highest score; the table of merges says the
   * same in advance.
   */
  private List<Merge> merges() {
    String key = PREFIX + "scores";
    List<Number> scores = metadata.require(key, metadata.numbers(key));
    List<Merge> merges = new ArrayList<>();
    for (int id = 0; id < Math.min(tokens.size(), scores.size()); id++) {
      String token = tokens.get(id);
      for (int i = token.offsetByCodePoints(0, token.isEmpty() ? 0 : 1); i < token.length(); i++) {
        String left = token.substring(0, i);
        String right = token.substring(i);
        if (ids.containsKey(left) && ids.containsKey(right)) {
          merges.add(new Merge(left, right, scores.get(id).doubleValue()));
        }
      }
    }
    merges.sort(
        Comparator.comparingDouble(Merge::score)
            .thenComparingInt(merge -> merge.left.length())
            .reversed());
    return merges;
  }

  /** Adds to a {@code config.json} where a text begins and what fills it up. */
  void describe(ObjectNode config) {
    for (String name : List.of("bos_token", "pad_token")) {
      id(NAMED.get(name)).ifPresent(id -> config.put(name + "_id", id));
    }
  }

  /** The content of {@code tokenizer_config.json}. */
  String config() {
    ObjectNode config =
        Json.MAPPER.createObjectNode().put("tokenizer_class", "PreTrainedTokenizerFast");
    NAMED.forEach((name, key) -> id(key).ifPresent(id -> config.put(name, tokens.get(id))));
    metadata
        .flag(PREFIX + "add_bos_token")
        .ifPresent(begins -> config.put("add_bos_token", begins));
    config.put("clean_up_tokenization_spaces", false);
    metadata
        .text("tokenizer.chat_template")
        .ifPresent(template -> config.put("chat_template", template));
    return config.toPrettyString();
  }
}
