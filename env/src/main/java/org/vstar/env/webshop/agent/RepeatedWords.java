package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Lets the value of a wanted option say a word twice, or its option's name: {@code 16" x 24"}
 * becomes {@code 24" x 24"}, {@code small} becomes {@code small size}. Who copies such a value by
 * the last few tokens alone loses the place. Few products have them, so a policy that saw no others
 * cannot buy those.
 */
public final class RepeatedWords {

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");
  private static final Pattern PART = Pattern.compile(WORD.pattern() + "|\\S");
  private static final Pattern LETTERS = Pattern.compile("\\p{L}{3,}");

  /** So often a value is drawn before the episode stays as it is. */
  private static final int DRAWS = 10;

  private final List<String> values;
  private final Set<String> kept;

  /**
   * Collects what options can be.
   *
   * @param values all values of the catalogue's options: none becomes another
   * @param kept lines whose words stay
   */
  public RepeatedWords(Collection<String> values, Collection<String> kept) {
    this.values = values.stream().map(RepeatedWords::lower).distinct().toList();
    this.kept = kept.stream().flatMap(k -> words(lower(k)).stream()).collect(Collectors.toSet());
  }

  /**
   * Another value for one of an episode's options; the shop's own words if it has none that suits.
   *
   * @param options what is wanted, option → value
   */
  public Rewording draw(Map<String, String> options, SplittableRandom random) {
    Map<String, String> wanted = new LinkedHashMap<>();
    options.forEach((option, value) -> wanted.put(lower(option), lower(value)));
    wanted.values().removeIf(value -> !suits(value));
    List<String> names = List.copyOf(wanted.keySet());
    for (int i = 0; i < DRAWS && !names.isEmpty(); i++) {
      String name = names.get(random.nextInt(names.size()));
      String value = wanted.get(name);
      String other = repeating(name, value, random);
      if (!other.equals(value) && values.stream().noneMatch(v -> v.contains(other))) {
        return new Phrase(value, other);
      }
    }
    return Rewording.NONE;
  }

  /** A number alone, or one of the dialogue's own words, is found where it is no value. */
  private boolean suits(String value) {
    List<String> words = words(value);
    return words.size() > 1
        || words.size() == 1
            && LETTERS.matcher(words.get(0)).matches()
            && !kept.contains(words.get(0));
  }

  private static String repeating(String name, String value, SplittableRandom random) {
    List<String> words = words(value);
    String word = words.get(random.nextInt(words.size()));
    return switch (random.nextInt(words.size() > 1 ? 6 : 3)) {
      case 0 -> value + " " + name;
      case 1 -> name + " " + value;
      case 2 -> value + " " + word;
      default -> replaced(value, random.nextInt(words.size()), word);
    };
  }

  private static String replaced(String value, int index, String word) {
    Matcher matcher = WORD.matcher(value);
    int at = 0;
    while (matcher.find()) {
      if (at++ == index) {
        return value.substring(0, matcher.start()) + word + value.substring(matcher.end());
      }
    }
    return value;
  }

  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(text);
    while (matcher.find()) {
      words.add(matcher.group());
    }
    return words;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** One phrase, wherever it stands as a whole, becomes another. */
  private static final class Phrase implements Rewording {
    private final String own;
    private final String other;
    private final Pattern ownWhole;
    private final Pattern otherWhole;

    Phrase(String own, String other) {
      this.own = own;
      this.other = other;
      this.ownWhole = whole(own);
      this.otherWhole = whole(other);
    }

    /** White space is of no account: some tokenizers part words at punctuation. */
    private static Pattern whole(String phrase) {
      String parts =
          PART.matcher(phrase)
              .results()
              .map(part -> Pattern.quote(part.group()))
              .collect(Collectors.joining("\\s*"));
      return Pattern.compile(
          "(?<![\\p{L}\\p{N}])" + parts + "(?![\\p{L}\\p{N}])",
          Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);
    }

    @Override
    public String substituted(String text) {
      return ownWhole.matcher(text).replaceAll(Matcher.quoteReplacement(other));
    }

    @Override
    public String restored(String text) {
      return otherWhole.matcher(text).replaceAll(Matcher.quoteReplacement(own));
    }
  }
}
