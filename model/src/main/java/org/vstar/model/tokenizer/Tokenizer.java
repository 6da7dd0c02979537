package org.vstar.model.tokenizer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;

/** A tokenizer read from {@code tokenizer.json} by Hugging Face's own library. Thread-safe. */
public final class Tokenizer {

  private static final String PROBE = "A word, é, \uD83D\uDE00 and 1.";

  private final String json;
  private final Map<String, Integer> ids = new HashMap<>();
  private final HuggingFaceTokenizer tokenizer;
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
      root.path("model")
          .path("vocab")
          .fields()
          .forEachRemaining(e -> ids.put(e.getKey(), id(e.getKey(), e.getValue())));
      for (JsonNode token : root.path("added_tokens")) {
        String content = token.path("content").asText();
        ids.put(content, id(content, token.path("id")));
      }
      tokenizer =
          HuggingFaceTokenizer.newInstance(
              new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)),
              Map.of("addSpecialTokens", "false", "truncation", "false", "padding", "false"));
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

  /**
   * The tokens of a text.
   *
   * @throws InvalidInputException if the tokenizer has none for it and no token for what is unknown
   */
  public int[] encode(String text) {
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
