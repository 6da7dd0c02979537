package org.vstar.model.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * A tokenizer in a folder of Hugging Face's layout: {@code tokenizer.json}, packed or not, and
 * {@code tokenizer_config.json}.
 */
public final class TokenizerFiles {

  /** The file of the tokenizer. */
  public static final String TOKENIZER = "tokenizer.json";

  /** The file of its chat template. */
  public static final String CONFIG = "tokenizer_config.json";

  /** The file of a chat template alone, which newer versions of transformers write. */
  private static final String TEMPLATE = "chat_template.jinja";

  private static final String PACKED = TOKENIZER + ".gz";

  private TokenizerFiles() {}

  /**
   * Reads the tokenizer.
   *
   * @throws InvalidInputException if there is none, or it is damaged
   */
  public static Tokenizer tokenizer(Path folder) {
    Path plain = folder.resolve(TOKENIZER);
    Path packed = folder.resolve(PACKED);
    Path file = !Files.exists(plain) && Files.exists(packed) ? packed : plain;
    String json = text(file);
    try {
      return new Tokenizer(json);
    } catch (InvalidInputException e) {
      throw new InvalidInputException(file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads the content of {@code tokenizer_config.json}. A chat template in a file of its own goes
   * before the one there, as in {@code transformers}, and takes its place.
   *
   * @throws InvalidInputException if there is none
   */
  public static String config(Path folder) {
    String config = text(folder.resolve(CONFIG));
    Path template = folder.resolve(TEMPLATE);
    if (!Files.exists(template)) {
      return config;
    }
    try {
      ObjectNode tree = Json.MAPPER.readValue(config, ObjectNode.class);
      return tree.put("chat_template", text(template)).toPrettyString();
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(
          folder.resolve(CONFIG) + ": not a JSON object: " + e.getOriginalMessage(), e);
    }
  }

  /**
   * Copies a folder's tokenizer into another.
   *
   * @throws IOException if a file cannot be read or written
   */
  public static void copy(Path from, Path to) throws IOException {
    for (String name : List.of(TOKENIZER, PACKED, CONFIG, TEMPLATE)) {
      if (Files.exists(from.resolve(name))) {
        Files.copy(from.resolve(name), to.resolve(name));
      }
    }
  }

  private static String text(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new InvalidInputException(
          "no tokenizer in " + file.getParent() + ": " + file.getFileName() + " is missing");
    }
    try (InputStream in = Files.newInputStream(file);
        InputStream unpacked = file.endsWith(PACKED) ? new GZIPInputStream(in) : in) {
      return new String(unpacked.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file, e);
    }
  }
}
