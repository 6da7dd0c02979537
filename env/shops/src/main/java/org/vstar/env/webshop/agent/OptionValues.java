package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What options can be, in lower case, for those who let an episode's values become others.
 *
 * @param values all values of the catalogue's options
 * @param kept words that stay, as the dialogue's own
 */
record OptionValues(List<String> values, Set<String> kept) {

  static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");

  private static final Pattern LETTERS = Pattern.compile("\\p{L}{3,}");

  static OptionValues of(Collection<String> values, Collection<String> keptLines) {
    return new OptionValues(
        values.stream().map(OptionValues::lower).distinct().toList(),
        keptLines.stream().flatMap(k -> words(lower(k)).stream()).collect(Collectors.toSet()));
  }

  /**
   * Whether a value can become another wherever it stands: a number alone, or one of the dialogue's
   * own words, is found where it is no value.
   */
  boolean suits(String value) {
    List<String> words = words(value);
    return words.size() > 1
        || words.size() == 1
            && LETTERS.matcher(words.get(0)).matches()
            && !kept.contains(words.get(0));
  }

  /** The options whose wanted value suits. */
  List<String> suiting(Map<String, String> wanted) {
    return wanted.keySet().stream().filter(name -> suits(lower(wanted.get(name)))).toList();
  }

  /** Whether no value of the catalogue is this one, or has it in it. */
  boolean isNew(String other) {
    return values.stream().noneMatch(value -> value.contains(other));
  }

  static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(text);
    while (matcher.find()) {
      words.add(matcher.group());
    }
    return words;
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  static String any(List<String> all, SplittableRandom random) {
    return all.get(random.nextInt(all.size()));
  }
}
