package org.vstar.env.python;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.vstar.common.Decimals;

/** The texts that Python would make of values; WebShop's pages are full of them. */
public final class PythonText {

  private static final char SIGMA = '\u03a3';
  private static final char SMALL_SIGMA = '\u03c3';
  private static final char FINAL_SIGMA = '\u03c2';

  /** Punctuation within words, for casing. */
  private static final String IGNORED_MARKS =
      "'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a";

  private static final int FIRST_SCIENTIFIC = 16;
  private static final int LAST_PLAIN = -4;

  private PythonText() {}

  /** {@code repr} of a finite float: the shortest decimal that reads back as the same number. */
  public static String text(double x) {
    if (x == 0) {
      return 1 / x < 0 ? "-0.0" : "0.0";
    }
    BigDecimal bare = Decimals.shortest(x);
    int exponent = bare.precision() - bare.scale() - 1;
    if (exponent >= LAST_PLAIN && exponent < FIRST_SCIENTIFIC) {
      String plain = bare.toPlainString();
      return plain.contains(".") ? plain : plain + ".0";
    }
    String digits = bare.unscaledValue().abs().toString();
    String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
    String sign = exponent < 0 ? "-" : "+";
    String power = Math.abs(exponent) < 10 ? "0" + Math.abs(exponent) : "" + Math.abs(exponent);
    return (x < 0 ? "-" : "") + mantissa + "e" + sign + power;
  }

  /** {@code str.strip()}: without Unicode white space, no-break spaces included, at both ends. */
  public static String strip(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && isSpace(text.charAt(from))) {
      from++;
    }
    while (to > from && isSpace(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  /** Where the white space ends that begins at a place, as {@code \\s*} matches it. */
  public static int behindSpace(String text, int from) {
    int at = from;
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isSpace(char c) {
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085';
  }

  /**
   * {@code str.lower()}, in linear time whatever the text: the JDK looks for word borders anew for
   * every capital sigma.
   */
  public static String lower(String text) {
    if (text.indexOf(SIGMA) < 0) {
      return text.toLowerCase(Locale.ROOT);
    }
    StringBuilder lower = new StringBuilder();
    int from = 0;
    for (int at = text.indexOf(SIGMA); at >= 0; at = text.indexOf(SIGMA, from)) {
      lower.append(text.substring(from, at).toLowerCase(Locale.ROOT));
      lower.append(endsWord(text, at) ? FINAL_SIGMA : SMALL_SIGMA);
      from = at + 1;
    }
    return lower.append(text.substring(from).toLowerCase(Locale.ROOT)).toString();
  }

  /** Whether letters come before a place and none after, whatever else is between. */
  private static boolean endsWord(String text, int at) {
    int before = at;
    while (before > 0 && isIgnored(text.codePointBefore(before))) {
      before -= Character.charCount(text.codePointBefore(before));
    }
    int after = at + 1;
    while (after < text.length() && isIgnored(text.codePointAt(after))) {
      after += Character.charCount(text.codePointAt(after));
    }
    return before > 0
        && isCased(text.codePointBefore(before))
        && (after == text.length() || !isCased(text.codePointAt(after)));
  }

  private static boolean isCased(int c) {
    return Character.isLowerCase(c) || Character.isUpperCase(c) || Character.isTitleCase(c);
  }

  /** Unicode's Case_Ignorable. */
  private static boolean isIgnored(int c) {
    return IGNORED_MARKS.indexOf(c) >= 0
        || switch (Character.getType(c)) {
          case Character.NON_SPACING_MARK,
                  Character.ENCLOSING_MARK,
                  Character.FORMAT,
                  Character.MODIFIER_LETTER,
                  Character.MODIFIER_SYMBOL ->
              true;
          default -> false;
        };
  }

  /** {@code json.dumps} of a map of strings, ASCII only. */
  public static String json(Map<String, String> map) {
    return map.entrySet().stream()
        .map(e -> jsonText(e.getKey()) + ": " + jsonText(e.getValue()))
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String jsonText(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      switch (c) {
        case '"' -> json.append("\\\"");
        case '\\' -> json.append("\\\\");
        case '\n' -> json.append("\\n");
        case '\r' -> json.append("\\r");
        case '\t' -> json.append("\\t");
        case '\b' -> json.append("\\b");
        case '\f' -> json.append("\\f");
        default ->
            json.append(c < ' ' || c > '~' ? String.format(Locale.ROOT, "\\u%04x", (int) c) : c);
      }
    }
    return json.append('"').toString();
  }

  /** {@code repr} of a dict of strings. */
  public static String repr(Map<String, String> map) {
    return repr(map, e -> repr(e.getKey()) + ": " + repr(e.getValue()));
  }

  private static String repr(
      Map<String, String> map, Function<Map.Entry<String, String>, String> entry) {
    return map.entrySet().stream().map(entry).collect(Collectors.joining(", ", "{", "}"));
  }

  /** {@code repr} of a string. */
  public static String repr(String text) {
    char quote = text.contains("'") && !text.contains("\"") ? '"' : '\'';
    StringBuilder repr = new StringBuilder().append(quote);
    text.codePoints()
        .forEach(
            c -> {
              if (c == quote || c == '\\') {
                repr.append('\\').appendCodePoint(c);
              } else if (c == '\n') {
                repr.append("\\n");
              } else if (c == '\r') {
                repr.append("\\r");
              } else if (c == '\t') {
                repr.append("\\t");
              } else if (isPrintable(c)) {
                repr.appendCodePoint(c);
              } else {
                repr.append(escaped(c));
              }
            });
    return repr.append(quote).toString();
  }

  private static String escaped(int c) {
    String format = c <= 0xff ? "\\x%02x" : c <= 0xffff ? "\\u%04x" : "\\U%08x";
    return String.format(Locale.ROOT, format, c);
  }

  private static boolean isPrintable(int c) {
    return c == ' '
        || switch (Character.getType(c)) {
          case Character.CONTROL,
                  Character.FORMAT,
                  Character.SURROGATE,
                  Character.PRIVATE_USE,
                  Character.UNASSIGNED,
                  Character.LINE_SEPARATOR,
                  Character.PARAGRAPH_SEPARATOR,
                  Character.SPACE_SEPARATOR ->
              false;
          default -> true;
        };
  }
}
