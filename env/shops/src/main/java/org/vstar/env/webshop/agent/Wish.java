package org.vstar.env.webshop.agent;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.vstar.env.webshop.goal.Instruction;

/**
 * An instruction, taken apart.
 *
 * @param text the instruction without its price
 * @param plain the same without options
 * @param type the kind of product
 * @param attributes what it has to be, in the order of the instruction
 * @param options values of the options that it names
 * @param described the same with their names: {@code color: red}
 * @param maxPrice what it may cost; infinite if nothing was said
 */
record Wish(
    String text,
    String plain,
    String type,
    List<String> attributes,
    List<String> options,
    List<String> described,
    double maxPrice) {

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");
  private static final List<String> ENDINGS =
      List.of("ings", "ing", "ies", "ed", "es", "e", "s", "y");
  private static final int SHORTEST_STEM = 3;
  private static final List<String> REPETITIONS = List.of(" ~ ", " ^ ", " @ ");

  static Wish of(String instruction, ShopLexicon lexicon) {
    String text = Instruction.wanted(instruction);
    String plain = Instruction.withoutOptions(text);
    String rest = plain;
    List<String> attributes =
        new ArrayList<>(lexicon.attributes().stream().filter(text::contains).toList());
    // The longest first: "polyester cotton" before "cotton".
    attributes.sort(Comparator.comparing(String::length).reversed().thenComparing(a -> a));
    List<String> found = new ArrayList<>();
    for (String attribute : attributes) {
      Matcher matcher = whole(attribute).matcher(rest);
      if (matcher.find()) {
        rest = matcher.replaceFirst("|");
        found.add(attribute);
      }
    }
    found.sort(Comparator.comparing((String a) -> text.indexOf(a)).thenComparing(a -> a));
    String type = rest.replaceAll("(?<![\\p{L}\\p{N}])(with|for)(?![\\p{L}\\p{N}])|\\|", ",");
    type = type.replaceAll("(\\s*,\\s*)+", ", ").replaceAll("\\A[, ]+|[, ]+\\z", "");
    return new Wish(
        text,
        plain,
        type,
        found,
        Instruction.values(instruction),
        Instruction.options(instruction),
        Instruction.maxPrice(instruction));
  }

  private static Pattern whole(String phrase) {
    return Pattern.compile("(?<![\\p{L}\\p{N}])" + Pattern.quote(phrase) + "(?![\\p{L}\\p{N}])");
  }

  /**
   * Searches by all that the instruction says but for its price, and by the options three times
   * more: BM25 counts what a query repeats. A mark of its own stands before each repetition, so
   * that who writes it knows how many there were; the search takes no account of it. No option's
   * value of the 1,000 products has such a mark, as {@code gray + beige} has a plus.
   */
  String query() {
    String wanted = Instruction.joined(described);
    return keywords(
        described.isEmpty()
            ? text
            : REPETITIONS.stream()
                .map(mark -> mark + wanted)
                .collect(Collectors.joining("", text, "")));
  }

  /** Searches by all that the instruction says, but for its price. */
  String otherQuery() {
    return keywords(text);
  }

  /**
   * Searches by less than all: without the options, or, if there are none, by what comes before the
   * first {@code with} or {@code for}. Who repeated words of a query until its turn ended would do
   * so again.
   */
  String shortQuery() {
    return keywords(described.isEmpty() ? Instruction.withoutQualifiers(plain) : plain);
  }

  private static String keywords(String words) {
    return words.replaceAll("[\\[\\]]", " ").strip();
  }

  /** Whether it speaks of an option, whatever its value. */
  boolean names(String option) {
    return described.stream().anyMatch(d -> d.startsWith(option + ": "));
  }

  /** What it may cost, as compact pages write it: {@code $110}; empty if nothing was said. */
  String bound() {
    return Double.isInfinite(maxPrice)
        ? ""
        : "$" + BigDecimal.valueOf(maxPrice).stripTrailingZeros().toPlainString();
  }

  /** Whether text says all words of a phrase, whatever their endings. */
  static boolean says(String text, String phrase) {
    Set<String> stems = new HashSet<>(words(text));
    return stems.containsAll(words(phrase));
  }

  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(text.toLowerCase(Locale.ROOT));
    while (matcher.find()) {
      words.add(stem(matcher.group()));
    }
    return words;
  }

  /** A word without its ending. */
  static String stem(String word) {
    return ENDINGS.stream()
        .filter(e -> word.endsWith(e) && word.length() - e.length() >= SHORTEST_STEM)
        .filter(e -> !(e.equals("s") && word.endsWith("ss")))
        .findFirst()
        .map(e -> word.substring(0, word.length() - e.length()))
        .orElse(word);
  }
}
