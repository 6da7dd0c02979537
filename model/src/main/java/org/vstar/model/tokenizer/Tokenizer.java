package org.vstar.model.tokenizer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * <p>Its added tokens are called marks here: {@code <|im_end|>} is one token. Text can mean one by
 * accident, or on purpose: a product may be called so. Therefore whoever encodes says of each
 * {@link Span} whether its marks are meant.
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

  /** An added token; {@code left} and {@code right}: whether it takes the white space there. */
  private record Mark(String content, int id, boolean left, boolean right) {}

  private final String json;
  private final Map<String, Integer> ids = new HashMap<>();
  private final Map<String, Mark> marks = new HashMap<>();
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
                .map(Pattern::quote)
                .collect(Collectors.joining("|", "(?:", marks.isEmpty() ? "(?!))" : ")")));
  }

  private static HuggingFaceTokenizer open(String json) throws IOException {
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
    vocabulary.fields().forEachRemaining(e -> ids.put(e.getKey(), id(e.getKey(), e.getValue())));
    for (JsonNode token : root.path("added_tokens")) {
      String content = token.path("content").asText();
      int id = id(content, token.path("id"));
      ids.put(content, id);
      boolean left = token.path("lstrip").asBoolean();
      boolean right = token.path("rstrip").asBoolean();
      marks.put(content, new Mark(content, id, left, right));
      // What is not known becomes a token that means just this.
      boolean unknown = content.equals(root.path("model").path("unk_token").asText(null));
      markIds.set(id, !unknown);
    }
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
        parts.add(withoutMarks(stripped(text.toString(), strip, mark.left)));
        parts.add(new int[] {mark.id});
        text.setLength(0);
        strip = mark.right;
        from = matcher.end();
      }
      text.append(span.text, from, span.text.length());
    }
    parts.add(withoutMarks(stripped(text.toString(), strip, false)));
    return parts.stream().flatMapToInt(Arrays::stream).toArray();
  }

  private static String stripped(String text, boolean leading, boolean trailing) {
    String left = leading ? text.stripLeading() : text;
    return trailing ? left.stripTrailing() : left;
  }

  /** The tokens of text, none of which is a mark. */
  private int[] withoutMarks(String text) {
    if (text.isEmpty()) {
      return new int[0];
    }
    HuggingFaceTokenizer plain =
        withoutMarks.get(
            () -> {
              try {
                ObjectNode root = (ObjectNode) Json.MAPPER.readTree(json);
                root.putArray("added_tokens");
                return open(root.toString());
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    int[] tokens = encode(plain, text);
    if (marksIn(tokens) == 0) {
      return tokens;
    }
    // A vocabulary may have a mark as a piece; letter by letter there is none.
    return text.codePoints()
        .mapToObj(Character::toString)
        .flatMapToInt(letter -> Arrays.stream(encode(plain, letter)))
        .toArray();
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
