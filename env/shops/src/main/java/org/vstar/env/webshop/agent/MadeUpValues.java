package org.vstar.env.webshop.agent;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.vstar.common.Seeds;
import org.vstar.env.webshop.dialogue.Rewording;

/**
 * Lets all values of a wanted option become others that no catalogue has: model numbers, measures,
 * names with something in brackets. The values of a list are of one form, as those of a product
 * are: {@code (4k-17) gray}, {@code (9b-02) navy}. A policy that copies them copies whatever it
 * reads.
 */
public final class MadeUpValues {

  private static final List<String> UNITS =
      List.of("\"", "'", " inch", "cm", " cm", "mm", "ft", " oz", " ounce", "ml", "in", "w", "");
  private static final List<String> CROSSES = List.of(" x ", "x", "*", " w x ", " by ");
  private static final List<String> JOINTS =
      List.of(" ", "-", "/", " - ", ".", "_", ", ", " + ", "");

  /** So often a list, or one value, is drawn before the episode stays as it is. */
  private static final int DRAWS = 10;

  private static final int LONGEST_CODE = 7;
  private static final int MOST_WORDS = 4;
  private static final int MOST_COUNTED = 60;
  private static final int LARGEST_MEASURE = 130;

  private final OptionValues values;

  /**
   * Collects what options can be.
   *
   * @param values all values of the catalogue's options: none becomes another
   * @param kept lines whose words stay
   */
  public MadeUpValues(Collection<String> values, Collection<String> kept) {
    this.values = OptionValues.of(values, kept);
  }

  /**
   * Other values for one of an episode's options; the shop's own words if it has none that suits.
   *
   * @param options what is wanted, option → value
   * @param all all values of the wanted product, option → values
   */
  public Rewording draw(
      Map<String, String> options, Map<String, List<String>> all, SplittableRandom random) {
    List<String> names = values.suiting(options);
    for (int i = 0; i < DRAWS && !names.isEmpty(); i++) {
      String name = OptionValues.any(names, random);
      List<String> own =
          all.getOrDefault(name, List.of()).stream()
              .map(OptionValues::lower)
              .filter(values::suits)
              .distinct()
              .toList();
      Map<String, String> made = list(own, random);
      if (!made.isEmpty() && made.values().stream().allMatch(values::isNew)) {
        return new Phrases(made);
      }
    }
    return Rewording.NONE;
  }

  /** Own → other; empty if two of them are the same, or one is a number alone and the like. */
  private Map<String, String> list(List<String> own, SplittableRandom random) {
    long form = random.nextLong();
    String fixed = code(random.split(), random);
    Map<String, String> made = new LinkedHashMap<>();
    Set<String> taken = new HashSet<>();
    for (String value : own) {
      String other = value(value, fixed, Seeds.random(form, "form of made-up values"), random);
      for (int i = 0; i < DRAWS && !taken.add(other.replace(" ", "")); i++) {
        other = value(value, fixed, Seeds.random(form, "form of made-up values"), random);
      }
      made.put(value, other);
    }
    boolean distinct = taken.size() == own.size();
    return distinct && made.values().stream().allMatch(values::suits) ? made : Map.of();
  }

  /**
   * Another value.
   *
   * @param fixed what all of the list share, in some forms
   * @param form draws what all of the list have in common
   * @param random draws the rest
   */
  private String value(String own, String fixed, SplittableRandom form, SplittableRandom random) {
    String joint = OptionValues.any(JOINTS, form);
    String part =
        switch (form.nextInt(5)) {
          case 0 -> code(form, random);
          case 1 -> measure(form, random);
          case 2 -> Integer.toString(1 + random.nextInt(MOST_COUNTED));
          case 3 -> words(1 + form.nextInt(MOST_WORDS), random);
          default -> own;
        };
    return switch (form.nextInt(7)) {
      case 0 -> part + joint + fixed;
      case 1 -> fixed + joint + part;
      case 2 -> own + " (" + part + ")";
      case 3 -> "(" + part + ") " + own;
      case 4 -> own + joint + part;
      case 5 -> part + joint + own;
      default -> part;
    };
  }

  /** {@code b07-4x}: letters, digits and dashes, begun and ended by one of the former. */
  private static String code(SplittableRandom form, SplittableRandom random) {
    int length = 2 + form.nextInt(LONGEST_CODE - 1);
    return IntStream.range(0, length)
        .mapToObj(i -> codePart(form.nextInt(9), i > 0 && i < length - 1, random))
        .collect(Collectors.joining());
  }

  private static String codePart(int kind, boolean within, SplittableRandom random) {
    if (kind == 8 && within) {
      return "-";
    }
    return kind < 4
        ? String.valueOf((char) ('a' + random.nextInt(26)))
        : String.valueOf((char) ('0' + random.nextInt(10)));
  }

  /** {@code 5.5 inch x 70.1 inch}. */
  private static String measure(SplittableRandom form, SplittableRandom random) {
    String unit = OptionValues.any(UNITS, form);
    String cross = OptionValues.any(CROSSES, form);
    boolean fraction = form.nextBoolean();
    return IntStream.rangeClosed(0, form.nextInt(3))
        .mapToObj(
            i ->
                1
                    + random.nextInt(LARGEST_MEASURE)
                    + (fraction ? "." + random.nextInt(10) : "")
                    + unit)
        .collect(Collectors.joining(cross));
  }

  private String words(int count, SplittableRandom random) {
    return IntStream.range(0, count)
        .mapToObj(i -> word(OptionValues.any(values.values(), random), random))
        .collect(Collectors.joining(" "));
  }

  private static String word(String value, SplittableRandom random) {
    List<String> words = OptionValues.words(value);
    return words.isEmpty() ? value : OptionValues.any(words, random);
  }
}
