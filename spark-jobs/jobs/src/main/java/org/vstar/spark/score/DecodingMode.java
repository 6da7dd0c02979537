package org.vstar.spark.score;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.io.Serializable;
import org.vstar.common.InvalidInputException;

/**
 * How the tokens of an answer are chosen. Scripted agents and people count as {@link #SAMPLED}.
 *
 * @param greedy whether they are the likeliest ones, instead of sampled
 * @param temperature that they are sampled at; null for the config's
 */
public record DecodingMode(boolean greedy, Double temperature) implements Serializable {

  public static final DecodingMode GREEDY = new DecodingMode(true, null);
  public static final DecodingMode SAMPLED = new DecodingMode(false, null);

  private static final String GREEDY_TEXT = "greedy";
  private static final String SAMPLED_TEXT = "sampled";
  private static final String AT = " at ";

  /** Sampled at another temperature than the config's. */
  public static DecodingMode sampledAt(double temperature) {
    return new DecodingMode(false, temperature);
  }

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws InvalidInputException if it is no mode
   */
  @JsonCreator
  static DecodingMode of(String text) {
    if (text.startsWith(SAMPLED_TEXT + AT)) {
      try {
        return sampledAt(Double.parseDouble(text.substring((SAMPLED_TEXT + AT).length())));
      } catch (NumberFormatException e) {
        throw unknown(text);
      }
    }
    return switch (text) {
      case GREEDY_TEXT -> GREEDY;
      case SAMPLED_TEXT -> SAMPLED;
      default -> throw unknown(text);
    };
  }

  private static InvalidInputException unknown(String text) {
    return new InvalidInputException(
        "'mode' is '" + text + "', expected greedy, sampled or sampled at TEMPERATURE");
  }

  /** A method's name in this mode: sampling at the config's temperature goes without saying. */
  String label(String method) {
    if (greedy) {
      return method + " " + GREEDY_TEXT;
    }
    return temperature == null ? method : method + AT + temperature;
  }

  /** {@code greedy}, {@code sampled} or {@code sampled at 0.3}: as files and tables have it. */
  @Override
  @JsonValue
  public String toString() {
    return greedy
        ? GREEDY_TEXT
        : temperature == null ? SAMPLED_TEXT : SAMPLED_TEXT + AT + temperature;
  }
}
