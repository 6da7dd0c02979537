package org.vstar.common;

/**
 * Something that a user gave is wrong. The message alone is shown: it says what is wrong, where
 * (file, line or key) and what was expected.
 */
public final class InvalidInputException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public InvalidInputException(String message) {
    super(message);
  }

  public InvalidInputException(String message, Throwable cause) {
    super(message, cause);
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
