package org.vstar.env.webshoplite;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** How the shop reads text: lower case, no punctuation, no plural s, synonyms resolved. */
final class Words {

  private static final int SHORTEST_PLURAL = 4;

  /** What shoppers call a thing → what the catalogue calls it. */
  private static final Map<String, List<String>> SYNONYMS =
      Map.ofEntries(
          Map.entry("sneaker", List.of("running", "shoe")),
          Map.entry("trainer", List.of("running", "shoe")),
          Map.entry("rucksack", List.of("backpack")),
          Map.entry("sunhat", List.of("sun", "hat")),
          Map.entry("jumper", List.of("sweater")),
          Map.entry("earphone", List.of("headphone")),
          Map.entry("skillet", List.of("frying", "pan")),
          Map.entry("purse", List.of("wallet")),
          Map.entry("recipe", List.of("cookbook")),
          Map.entry("cushion", List.of("pillow")),
          Map.entry("gray", List.of("grey")));

  private Words() {}

  /** The distinct normalised words of a text, in order. */
  static Set<String> of(String text) {
    Set<String> words = new LinkedHashSet<>();
    String plain = text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}]+", " ").strip();
    if (!plain.isEmpty()) {
      for (String word : plain.split(" ")) {
        String singular = singular(word);
        words.addAll(SYNONYMS.getOrDefault(singular, List.of(singular)));
      }
    }
    return words;
  }

  private static String singular(String word) {
    boolean plural = word.length() >= SHORTEST_PLURAL && word.endsWith("s") && !word.endsWith("ss");
    return plural ? word.substring(0, word.length() - 1) : word;
  }
}
