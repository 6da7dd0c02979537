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
 * @param beams how wide the search for whole answers is; null where tokens are chosen one by one
 */
public record DecodingMode(boolean greedy, Double temperature, Integer beams)
    implements Serializable {

  public static final DecodingMode GREEDY = new DecodingMode(true, null, null);
  public static final DecodingMode SAMPLED = new DecodingMode(false, null, null);

  private static final String GREEDY_TEXT = "greedy";
  private static final String SAMPLED_TEXT = "sampled";
  private static final String AT = " at ";
  private static final String BEAMS_TEXT = "beams of ";

  /** Sampled at another temperature than the config's. */
  public static DecodingMode sampledAt(double temperature) {
    return new DecodingMode(false, temperature, null);
  }

  /** Searched for, so wide. */
  public static DecodingMode beamsOf(int width) {
    return new DecodingMode(false, null, width);
  }

  /**
   * Reads what {@link #toString} writes.
   *
   * @throws InvalidInputException if it is no mode
   */
  @JsonCreator
  static DecodingMode of(String text) {
    try {
      if (text.startsWith(SAMPLED_TEXT + AT)) {
        return sampledAt(Double.parseDouble(text.substring((SAMPLED_TEXT + AT).length())));
      }
      if (text.startsWith(BEAMS_TEXT)) {
        return beamsOf(Integer.parseInt(text.substring(BEAMS_TEXT.length())));
      }
    } catch (NumberFormatException e) {
      throw unknown(text);
    }
    return switch (text) {
      case GREEDY_TEXT -> GREEDY;
      case SAMPLED_TEXT -> SAMPLED;
      default -> throw unknown(text);
    };
  }

  private static InvalidInputException unknown(String text) {
    return new InvalidInputException(
        "'mode' is '"
            + text
            + "', expected greedy, sampled, sampled at TEMPERATURE or beams of"
            + " WIDTH");
  }

  /** A method's name in this mode: sampling at the config's temperature goes without saying. */
  String label(String method) {
    if (greedy || beams != null) {
      return method + " " + this;
    }
    return temperature == null ? method : method + AT + temperature;
  }

  /**
   * {@code greedy}, {@code sampled}, {@code sampled at 0.3} or {@code beams of 4}: as files and
   * tables have it.
   */
  @Override
  @JsonValue
  public String toString() {
    if (beams != null) {
      return BEAMS_TEXT + beams;
    }
    return greedy
        ? GREEDY_TEXT
        : temperature == null ? SAMPLED_TEXT : SAMPLED_TEXT + AT + temperature;
  }
}
