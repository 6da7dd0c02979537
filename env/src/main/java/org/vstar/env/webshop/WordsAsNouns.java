package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Takes every word with a letter for a noun, but for a few function words. Needs no model; on the
 * published products it gives another type reward than a tagger on 4 to 6 % of all pairs of
 * products, and on no purchase of the right one.
 */
public final class WordsAsNouns implements NounTagger {

  private static final long serialVersionUID = 1L;
  private static final Set<String> FUNCTION_WORDS =
      Set.of(
          "a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "it", "of", "on", "or",
          "that", "the", "this", "to", "with", "your");

  @Override
  public List<String> nouns(String title) {
    List<String> nouns = new ArrayList<>();
    for (String word : title.toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}']+")) {
      if (word.chars().anyMatch(Character::isLetter) && !FUNCTION_WORDS.contains(word)) {
        nouns.add(word);
      }
    }
    return nouns;
  }
}
