package org.vstar.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.regex.Pattern;

/**
 * Something that a user gave is wrong. The message alone is shown, in one line: what is wrong,
 * where (file, line or key), what was expected, and what to do.
 */
public final class InvalidInputException extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final Pattern LINE_END = Pattern.compile("\\s*[\\r\\n\\u0085\\u2028\\u2029]\\s*");
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
  private static final int LONGEST = 1500;

  public InvalidInputException(String message) {
    super(oneLine(message));
  }

  public InvalidInputException(String message, Throwable cause) {
    super(oneLine(message), cause);
  }

  /**
   * A message as one line: libraries' messages, and values that a user gave, may have more. What is
   * very long is cut.
   */
  public static String oneLine(String message) {
    String line = LINE_END.matcher(String.valueOf(message).strip()).replaceAll(" ");
    line = CONTROL.matcher(line.replace('\t', ' ')).replaceAll("?");
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }

  /**
   * What could not be done with a file or folder: it is the user's disk and permissions, so it is
   * no fault of ours.
   *
   * @param doing for example {@code "read /data/goals.json"}
   */
  public static InvalidInputException cannot(String doing, IOException e) {
    return new InvalidInputException("cannot " + doing + ": " + reason(e), e);
  }

  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "it does not exist";
    } else if (e instanceof AccessDeniedException denied) {
      String why = denied.getReason();
      return why == null ? "no permission" : "no permission: " + why;
    } else if (e instanceof CharacterCodingException) {
      return "it is not text in UTF-8";
    } else if (e instanceof FileSystemException file && file.getReason() != null) {
      return file.getReason();
    }
    if (e instanceof JsonProcessingException json) {
      return json.getOriginalMessage();
    }
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  /** Refuses a setting that is out of its range. */
  public static void require(boolean holds, String key, Object value, String expected) {
    if (!holds) {
      throw new InvalidInputException(
          "config key '" + key + "' is " + value + ", expected " + expected);
    }
  }

  /** Refuses a setting that is not a probability. */
  public static void requireProbability(String key, double value) {
    require(value >= 0 && value <= 1, key, value, "a probability, 0 to 1");
  }
}
