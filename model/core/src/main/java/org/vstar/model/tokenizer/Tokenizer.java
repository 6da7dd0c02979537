package org.vstar.model.tokenizer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.Lazy;

/**
 * A tokenizer read from {@code tokenizer.json} by Hugging Face's own library. Thread-safe.
 *
 * <p>Its special tokens are called marks here: {@code <|im_end|>} is one token. Text can mean one
 * by accident, or on purpose: a product may be called so. Therefore whoever encodes says of each
 * {@link Span} whether its marks are meant. Added tokens that are not special are words.
 */
public final class Tokenizer {

  /** A space before is a letter of its own in byte-level vocabularies and in SentencePiece's. */
  private static final Pattern NUMBER = Pattern.compile("[\\u0120\\u2581]?([0-9]{1,9})");

  private static final String PROBE = "A word, é, \uD83D\uDE00 and 1.";

  /**
   * A stretch of text.
   *
   * @param marks whether a mark in it is one token; otherwise it is text like any other
   */
  public record Span(String text, boolean marks) {}

  /**
   * Stands before text that continues other text, where marks are not meant, so that nothing is put
   * before it that belongs where a text begins. A noncharacter: no text has it.
   */
  private static final String BEFORE = "\uFDD0";

  /** Stands, with a number, for a mark whose id others are counted from. */
  private static final String PLACE = "\uFDD1";

  /**
   * A special token.
   *
   * @param left whether it takes the white space on its left
   * @param right and on its right
   * @param word whether it counts only where no letter or digit touches it
   */
  private record Mark(String content, int id, boolean left, boolean right, boolean word) {
    String pattern() {
      String quoted = Pattern.quote(content);
      return word ? "(?U:(?<!\\w)" + quoted + "(?!\\w))" : quoted;
    }
  }

  private final String json;
  private final Map<String, Integer> ids = new HashMap<>();
  private final Map<String, Mark> marks = new TreeMap<>();
  private final BitSet markIds = new BitSet();
  private final Pattern anyMark;
  private final HuggingFaceTokenizer tokenizer;
  private final Lazy<HuggingFaceTokenizer> withoutMarks = new Lazy<>();
  private final int size;

  /**
   * Reads a tokenizer.
   *
   * @param json the content of a {@code tokenizer.json}
   * @throws InvalidInputException if it is not one
   */
  public Tokenizer(String json) {
    this.json = json;
    try {
      JsonNode root = Json.MAPPER.readTree(json);
      readTokens(root);
      tokenizer = open(json);
      // Some faults show only when there is text.
      tokenizer.encode(PROBE, false, false);
    } catch (JsonProcessingException e) {
      throw new InvalidInputException("not a tokenizer.json: " + e.getOriginalMessage(), e);
    } catch (InvalidInputException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // The native library reports a malformed file as a bare RuntimeException.
      throw new InvalidInputException("not a tokenizer.json: " + e.getMessage(), e);
    }
    size = ids.values().stream().mapToInt(Integer::intValue).max().orElse(-1) + 1;
    // The longest first, as Hugging Face's library looks for them.
    anyMark =
        Pattern.compile(
            marks.keySet().stream()
                .filter(mark -> !mark.isEmpty())
                .sorted(
                    Comparator.comparingInt(String::length)
                        .reversed()
                        .thenComparing(Comparator.naturalOrder()))
                .map(mark -> marks.get(mark).pattern())
                .collect(Collectors.joining("|", "(?:", marks.isEmpty() ? "(?!))" : ")")));
  }

  private static HuggingFaceTokenizer open(String json) throws IOException {
    NativeLibraryFolder.choose();
    return HuggingFaceTokenizer.newInstance(
        new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)),
        Map.of("addSpecialTokens", "false", "truncation", "false", "padding", "false"));
  }

  private void readTokens(JsonNode root) {
    JsonNode vocabulary = root.path("model").path("vocab");
    if (vocabulary.isArray()) {
      // Unigram models: pairs of a token and its score, in the order of ids.
      for (int i = 0; i < vocabulary.size(); i++) {
        ids.put(vocabulary.path(i).path(0).asText(), i);
      }
    }
    vocabulary.properties().forEach(e -> ids.put(e.getKey(), id(e.getKey(), e.getValue())));
    for (JsonNode token : root.path("added_tokens")) {
      String content = token.path("content").asText();
      int id = id(content, token.path("id"));
      ids.put(content, id);
      if (isSpecial(token)) {
        boolean left = token.path("lstrip").asBoolean();
        boolean right = token.path("rstrip").asBoolean();
        boolean word = token.path("single_word").asBoolean();
        marks.put(content, new Mark(content, id, left, right, word));
        // What is not known becomes a token that means just this.
        JsonNode model = root.path("model");
        boolean unknown =
            content.equals(model.path("unk_token").asText(null))
                || id == model.path("unk_id").asInt(-1);
        markIds.set(id, !unknown);
      }
    }
  }

  private static boolean isSpecial(JsonNode addedToken) {
    return addedToken.path("special").asBoolean();
  }

  private static int id(String token, JsonNode id) {
    if (!id.isInt() || id.asInt() < 0 || id.asInt() == Integer.MAX_VALUE) {
      throw new InvalidInputException(
          "not a tokenizer.json: token '" + token + "' has id " + id + ", expected a whole number");
    }
    return id.asInt();
  }

  /** The {@code tokenizer.json} this was read from. */
  public String json() {
    return json;
  }

  /** One more than the largest id. */
  public int size() {
    return size;
  }

  /** Whether there is such a token. */
  public boolean has(String token) {
    return ids.containsKey(token);
  }

  /**
   * The id of a token.
   *
   * @throws IllegalArgumentException if there is no such token
   */
  public int id(String token) {
    Integer id = ids.get(token);
    if (id == null) {
      throw new IllegalArgumentException("no token '" + token + "'");
    }
    return id;
  }

  /** For each id the whole number below 10⁹ that its token writes, with or without space; or -1. */
  public int[] numbers() {
    int[] numbers = new int[size];
    Arrays.fill(numbers, -1);
    ids.forEach(
        (token, id) -> {
          Matcher matcher = NUMBER.matcher(token);
          if (matcher.matches()) {
            numbers[id] = Integer.parseInt(matcher.group(1));
          }
        });
    return numbers;
  }

  /** What matches a mark, the longest there is at a place. */
  public Pattern marks() {
    return anyMark;
  }

  /**
   * The tokens of a text whose marks are meant.
   *
   * @throws InvalidInputException if the tokenizer has none for it and no token for what is unknown
   */
  public int[] encode(String text) {
    return encode(tokenizer, text);
  }

  /** The tokens of a text in which no mark is meant. */
  public int[] encodeText(String text) {
    return encode(List.of(new Span(text, false)));
  }

  /**
   * The tokens of spans that continue a text. What a tokenizer puts where a text begins, such as
   * SentencePiece's mark of a word, is not put before them.
   */
  public int[] encodeBehind(List<Span> spans) {
    Optional<Mark> before =
        marks.values().stream()
            .filter(m -> !m.right && !m.word && !m.content.isEmpty())
            .findFirst();
    if (before.isEmpty()) {
      return encode(spans);
    }
    List<Span> continued = new ArrayList<>(spans);
    continued.add(0, new Span(before.get().content, true));
    int[] tokens = encode(continued);
    return Arrays.copyOfRange(tokens, 1, tokens.length);
  }

  /**
   * The tokens of spans that follow one another. Apart from the marks in text where none is meant,
   * the tokens are those of the whole.
   */
  public int[] encode(List<Span> spans) {
    String whole = spans.stream().map(Span::text).collect(Collectors.joining());
    int[] tokens = encode(whole);
    boolean maybe =
        spans.stream().anyMatch(span -> !span.marks && anyMark.matcher(span.text).find());
    int found = marksIn(tokens);
    // A normalizer could make a mark of what is none yet.
    return maybe || found != meant(spans, whole) ? encodeMeant(spans) : tokens;
  }

  private int marksIn(int[] tokens) {
    return (int) Arrays.stream(tokens).filter(markIds::get).count();
  }

  /** How many marks are meant. */
  private int meant(List<Span> spans, String whole) {
    boolean[] meant = new boolean[whole.length()];
    int at = 0;
    for (Span span : spans) {
      Arrays.fill(meant, at, at + span.text.length(), span.marks);
      at += span.text.length();
    }
    int count = 0;
    Matcher matcher = anyMark.matcher(whole);
    while (matcher.find()) {
      boolean all = IntStream.range(matcher.start(), matcher.end()).allMatch(i -> meant[i]);
      count += all ? 1 : 0;
    }
    return count;
  }

  /** Cuts at the marks that are meant; what lies between them is text. */
  private int[] encodeMeant(List<Span> spans) {
    List<int[]> parts = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    boolean strip = false;
    for (Span span : spans) {
      int from = 0;
      Matcher matcher = anyMark.matcher(span.text);
      while (span.marks && matcher.find()) {
        Mark mark = marks.get(matcher.group());
        text.append(span.text, from, matcher.start());
        parts.add(withoutMarks(stripped(text.toString(), strip, mark.left), parts.isEmpty()));
        parts.add(new int[] {mark.id});
        text.setLength(0);
        strip = mark.right;
        from = matcher.end();
      }
      text.append(span.text, from, span.text.length());
    }
    parts.add(withoutMarks(stripped(text.toString(), strip, false), parts.isEmpty()));
    return parts.stream().flatMapToInt(Arrays::stream).toArray();
  }

  private static String stripped(String text, boolean leading, boolean trailing) {
    String left = leading ? text.stripLeading() : text;
    return trailing ? left.stripTrailing() : left;
  }

  /**
   * The tokens of text, none of which is a mark.
   *
   * @param first whether a text begins with it
   */
  private int[] withoutMarks(String text, boolean first) {
    if (text.isEmpty()) {
      return new int[0];
    }
    int[] tokens = plain(text, first);
    if (marksIn(tokens) == 0) {
      return tokens;
    }
    // A vocabulary may have a mark as a piece; letter by letter there is none.
    String[] letters = text.codePoints().mapToObj(Character::toString).toArray(String[]::new);
    return IntStream.range(0, letters.length)
        .mapToObj(i -> plain(letters[i], first && i == 0))
        .flatMapToInt(Arrays::stream)
        .toArray();
  }

  private int[] plain(String text, boolean first) {
    HuggingFaceTokenizer plain = withoutMarks.get(this::openWithoutMarks);
    if (first) {
      return encode(plain, text);
    }
    int[] tokens = encode(plain, BEFORE + text);
    return Arrays.copyOfRange(tokens, 1, tokens.length);
  }

  /** The same tokenizer, to which marks are text; other added tokens keep their ids. */
  private HuggingFaceTokenizer openWithoutMarks() {
    try {
      ObjectNode root = (ObjectNode) Json.MAPPER.readTree(json);
      ArrayNode added = root.putArray("added_tokens");
      Set<String> own = new HashSet<>();
      root.path("model").path("vocab").fieldNames().forEachRemaining(own::add);
      root.path("model").path("vocab").forEach(pair -> own.add(pair.path(0).asText()));
      for (JsonNode token : Json.MAPPER.readTree(json).path("added_tokens")) {
        ObjectNode kept = (ObjectNode) token;
        if (!isSpecial(token)) {
          added.add(kept);
        } else if (!own.contains(token.path("content").asText())) {
          // Ids of added tokens follow from their places, so this one keeps its own.
          added.add(kept.put("content", PLACE + added.size()));
        }
      }
      added
          .addObject()
          .put("id", size)
          .put("content", BEFORE)
          .put("single_word", false)
          .put("lstrip", false)
          .put("rstrip", false)
          .put("normalized", false)
          .put("special", true);
      return open(root.toString());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static int[] encode(HuggingFaceTokenizer tokenizer, String text) {
    try {
      return Arrays.stream(tokenizer.encode(text, false, false).getIds())
          .mapToInt(Math::toIntExact)
          .toArray();
    } catch (RuntimeException e) {
      throw new InvalidInputException(
          "the tokenizer cannot encode '" + text + "': " + e.getMessage(), e);
    }
  }

  /** The text of some tokens; marks are kept. */
  public String decode(int[] tokens) {
    return tokenizer.decode(Arrays.stream(tokens).asLongStream().toArray(), false);
  }
}
