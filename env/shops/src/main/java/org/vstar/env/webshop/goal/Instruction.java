package org.vstar.env.webshop.goal;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The grammar of WebShop's instructions, written and read: {@code Find me REQUEST with color: red,
 * and size: 5, and price lower than 40.00 dollars}. A synthetic request is {@code ATTRIBUTES TYPE
 * with ATTRIBUTES for PURPOSE}; one that a person wrote has no form. Option values can hold every
 * word of the grammar, so an option is recognized by the colon after its name.
 */
public final class Instruction {

  static final String BEGIN = "Find me ";
  static final String WITH = " with ";
  static final String FOR = " for ";
  private static final String AND = ", and ";

  /** The upper bound of a goal that has none. */
  static final double UNBOUNDED = 1_000_000;

  private static final String PRICE_FORMAT = AND + "price lower than %.2f dollars";
  private static final Pattern PRICE =
      Pattern.compile(AND + "price lower than ([0-9.]+) dollars\\z");
  private static final Pattern DOLLARS = Pattern.compile("([0-9.]+?)(\\.0+)? dollars\\z");
  private static final Pattern BEFORE_AN_OPTION =
      Pattern.compile("(?:" + AND + "|" + WITH + ")(?=[^:,]+: )");
  private static final Pattern OPTIONS = Pattern.compile(WITH + "(?:(?!" + WITH + ")[^:,])+: .*");
  private static final Pattern QUALIFIERS = Pattern.compile(" (with|for) .*");

  private Instruction() {}

  /** A request with the options that are wanted, by their names. */
  static String withOptions(String request, Map<String, String> options) {
    StringBuilder text = new StringBuilder(request);
    String separator = WITH;
    for (Map.Entry<String, String> option : options.entrySet()) {
      text.append(separator).append(option.getKey()).append(": ").append(option.getValue());
      separator = AND;
    }
    return text.toString();
  }

  /** The same with what the product may cost, which may be {@link #UNBOUNDED}. */
  static String withPrice(String text, double upper) {
    return upper == UNBOUNDED ? text : text + String.format(Locale.ROOT, PRICE_FORMAT, upper);
  }

  /** An instruction without what the product may cost. */
  public static String withoutPrice(String instruction) {
    return PRICE.matcher(instruction).replaceFirst("");
  }

  /** An instruction with its last words, {@code 40.00 dollars}, as {@code $40}. */
  public static String withShortPrice(String instruction) {
    return DOLLARS.matcher(instruction).replaceFirst("\\$$1");
  }

  /** What is asked for, without price and introduction. */
  public static String wanted(String instruction) {
    String text = withoutPrice(instruction);
    return text.startsWith(BEGIN) ? text.substring(BEGIN.length()) : text;
  }

  /** What is asked for, without options. */
  public static String withoutOptions(String wanted) {
    return OPTIONS.matcher(wanted).replaceFirst("");
  }

  /** What comes before the first {@code with} or {@code for}. */
  public static String withoutQualifiers(String wanted) {
    return QUALIFIERS.matcher(wanted).replaceFirst("");
  }

  /** The options that an instruction names: {@code color: red}. */
  public static List<String> options(String instruction) {
    return Arrays.stream(BEFORE_AN_OPTION.split(withoutPrice(instruction)))
        .filter(part -> part.indexOf(": ") > 0)
        .toList();
  }

  /** Some options again as an instruction names them. */
  public static String joined(List<String> options) {
    return String.join(AND, options);
  }

  /** The values of the options that an instruction names. */
  public static List<String> values(String instruction) {
    return options(instruction).stream()
        .map(option -> option.substring(option.indexOf(": ") + 2))
        .toList();
  }

  /** What the product may cost; infinite if the instruction does not say. */
  public static double maxPrice(String instruction) {
    Matcher price = PRICE.matcher(instruction);
    return price.find() ? Double.parseDouble(price.group(1)) : Double.POSITIVE_INFINITY;
  }
}
