package org.vstar.env.webshop.agent;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.vstar.env.webshop.dialogue.Rewording;

/**
 * Joins values of a wanted option to other words, so that they are longer, and alike: {@code gray}
 * becomes {@code gray + beige}, or all colors of the wanted product become {@code xnj-gray}, {@code
 * xnj-beige} and so on. Such values are the ones that policies misjudged most, and few train
 * products have them.
 */
public final class JoinedValues {

  /** What stands between the parts of the catalogue's values. */
  private static final List<String> JOINTS =
      List.of(" ", " ", "-", "-", "/", " - ", " + ", " & ", ", ", " x ", "_", " (");

  /** So often words are drawn before the episode stays as it is. */
  private static final int DRAWS = 10;

  private final OptionValues values;

  /**
   * Collects what options can be.
   *
   * @param values all values of the catalogue's options: none becomes another
   * @param kept lines whose words stay
   */
  public JoinedValues(Collection<String> values, Collection<String> kept) {
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
      String name = names.get(random.nextInt(names.size()));
      List<String> own =
          all.getOrDefault(name, List.of()).stream().map(OptionValues::lower).toList();
      Map<String, String> joined =
          random.nextBoolean()
              ? pair(OptionValues.lower(options.get(name)), own, random)
              : alike(own, random);
      if (!joined.isEmpty() && joined.values().stream().allMatch(values::isNew)) {
        return new Phrases(joined);
      }
    }
    return Rewording.NONE;
  }

  /** The wanted value with another of the same list, or of any. */
  private Map<String, String> pair(String wanted, List<String> own, SplittableRandom random) {
    String other =
        OptionValues.any(random.nextBoolean() && !own.isEmpty() ? own : values.values(), random);
    String joint = OptionValues.any(JOINTS, random);
    return Map.of(
        wanted, random.nextBoolean() ? joined(wanted, joint, other) : joined(other, joint, wanted));
  }

  /** All values of a list with one word before them, or behind them. */
  private Map<String, String> alike(List<String> own, SplittableRandom random) {
    String word =
        OptionValues.any(
            OptionValues.words(OptionValues.any(values.values(), random) + " 1"), random);
    String joint = OptionValues.any(JOINTS, random);
    boolean before = random.nextBoolean();
    Map<String, String> alike = new LinkedHashMap<>();
    own.stream()
        .filter(values::suits)
        .forEach(
            value ->
                alike.put(value, before ? joined(word, joint, value) : joined(value, joint, word)));
    return alike;
  }

  private static String joined(String first, String joint, String second) {
    return first + joint + second + (joint.endsWith("(") ? ")" : "");
  }
}
