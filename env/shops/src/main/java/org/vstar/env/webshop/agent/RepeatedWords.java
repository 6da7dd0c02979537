package org.vstar.env.webshop.agent;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import org.vstar.env.webshop.dialogue.Rewording;

/**
 * Lets the value of a wanted option say a word twice, or its option's name: {@code 16" x 24"}
 * becomes {@code 24" x 24"}, {@code small} becomes {@code small size}. Who copies such a value by
 * the last few tokens alone loses the place. Few products have them, so a policy that saw no others
 * cannot buy those.
 */
public final class RepeatedWords {

  /** So often a value is drawn before the episode stays as it is. */
  private static final int DRAWS = 10;

  private final OptionValues values;

  /**
   * Collects what options can be.
   *
   * @param values all values of the catalogue's options: none becomes another
   * @param kept lines whose words stay
   */
  public RepeatedWords(Collection<String> values, Collection<String> kept) {
    this.values = OptionValues.of(values, kept);
  }

  /**
   * Another value for one of an episode's options; the shop's own words if it has none that suits.
   *
   * @param options what is wanted, option → value
   */
  public Rewording draw(Map<String, String> options, SplittableRandom random) {
    Map<String, String> wanted = new LinkedHashMap<>();
    options.forEach(
        (option, value) -> wanted.put(OptionValues.lower(option), OptionValues.lower(value)));
    wanted.values().removeIf(value -> !values.suits(value));
    List<String> names = List.copyOf(wanted.keySet());
    for (int i = 0; i < DRAWS && !names.isEmpty(); i++) {
      String name = names.get(random.nextInt(names.size()));
      String value = wanted.get(name);
      String other = repeating(name, value, random);
      if (!other.equals(value) && values.isNew(other)) {
        return new Phrases(Map.of(value, other));
      }
    }
    return Rewording.NONE;
  }

  private static String repeating(String name, String value, SplittableRandom random) {
    List<String> words = OptionValues.words(value);
    String word = words.get(random.nextInt(words.size()));
    return switch (random.nextInt(words.size() > 1 ? 6 : 3)) {
      case 0 -> value + " " + name;
      case 1 -> name + " " + value;
      case 2 -> value + " " + word;
      default -> replaced(value, random.nextInt(words.size()), word);
    };
  }

  private static String replaced(String value, int index, String word) {
    Matcher matcher = OptionValues.WORD.matcher(value);
    int at = 0;
    while (matcher.find()) {
      if (at++ == index) {
        return value.substring(0, matcher.start()) + word + value.substring(matcher.end());
      }
    }
    return value;
  }
}
