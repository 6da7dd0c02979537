package org.vstar.model.checkpoint;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.vstar.common.InvalidInputException;
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

  private static final String PACKED = TOKENIZER + ".gz";

  private TokenizerFiles() {}

  /**
   * Reads the tokenizer.
   *
   * @throws InvalidInputException if there is none, or it is damaged
   */
  public static Tokenizer tokenizer(Path folder) {
    Path packed = folder.resolve(PACKED);
    Path file = Files.exists(packed) ? packed : folder.resolve(TOKENIZER);
    String json = text(file);
    try {
      return new Tokenizer(json);
    } catch (InvalidInputException e) {
      throw new InvalidInputException(file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads the content of {@code tokenizer_config.json}.
   *
   * @throws InvalidInputException if there is none
   */
  public static String config(Path folder) {
    return text(folder.resolve(CONFIG));
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
