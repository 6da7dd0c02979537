package org.vstar.env.webshop.agent;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.vstar.env.webshop.dialogue.Rewording;

/**
 * Some phrases, wherever they stand as a whole, become others. Letters' case and white space are of
 * no account: some tokenizers part words at punctuation.
 */
final class Phrases implements Rewording {

  private static final Pattern PART = Pattern.compile(OptionValues.WORD.pattern() + "|\\S");
  private static final Pattern SPACE = Pattern.compile("\\s+");

  private final Map<String, String> others = new HashMap<>();
  private final Map<String, String> owns = new HashMap<>();
  private final Pattern anyOwn;
  private final Pattern anyOther;

  /**
   * Phrases and what they become, in lower case.
   *
   * @param others own → other; no two become one
   */
  Phrases(Map<String, String> others) {
    others.forEach(
        (own, other) -> {
          this.others.put(key(own), other);
          this.owns.put(key(other), own);
        });
    this.anyOwn = any(others.keySet());
    this.anyOther = any(others.values());
  }

  /** The longest first: "light blue" before "blue". */
  private static Pattern any(Collection<String> phrases) {
    String either =
        phrases.stream()
            .sorted(Comparator.comparing(String::length).reversed().thenComparing(p -> p))
            .map(Phrases::spaced)
            .collect(Collectors.joining("|"));
    return Pattern.compile(
        "(?<![\\p{L}\\p{N}])(?:" + either + ")(?![\\p{L}\\p{N}])",
        Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
  }

  private static String spaced(String phrase) {
    return PART.matcher(phrase)
        .results()
        .map(part -> Pattern.quote(part.group()))
        .collect(Collectors.joining("\\s*"));
  }

  private static String key(String phrase) {
    return SPACE.matcher(OptionValues.lower(phrase)).replaceAll("");
  }

  @Override
  public String substituted(String text) {
    return anyOwn.matcher(text).replaceAll(found -> literal(others, found));
  }

  @Override
  public String restored(String text) {
    return anyOther.matcher(text).replaceAll(found -> literal(owns, found));
  }

  private static String literal(Map<String, String> phrases, MatchResult found) {
    // A letter such as ı is equal to another by case in a pattern, and not in a key.
    return Matcher.quoteReplacement(phrases.getOrDefault(key(found.group()), found.group()));
  }
}
