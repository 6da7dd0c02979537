package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.vstar.common.ContentHash;
import org.vstar.env.webshop.catalog.Item;

/**
 * Puts values that are nearly the wanted one among a product's options: where {@code light blue} is
 * wanted, {@code blue}, {@code light rose} or {@code light blue floral}. Who compares only the end
 * of a value, or its beginning, takes them for it. The wanted value itself is not put in.
 *
 * @param seed which values; a product is the same at every look
 * @param share the probability that a list of options gets some
 * @param wanted what the episode's instruction wants, option → value
 * @param catalogue all values of the catalogue's options
 */
public record AlikeValues(
    long seed, double share, Map<String, String> wanted, List<String> catalogue)
    implements UnaryOperator<Item> {

  /** At most so many values are put into a list. */
  private static final int MOST = 2;

  @Override
  public Item apply(Item item) {
    SplittableRandom random =
        new SplittableRandom(new ContentHash().add("alike").add(seed).add(item.asin()).number());
    Map<String, String> byName = new HashMap<>();
    wanted.forEach((name, value) -> byName.put(OptionValues.lower(name), value));
    Map<String, List<String>> options = new LinkedHashMap<>();
    item.options()
        .forEach(
            (name, values) -> {
              String value = byName.get(OptionValues.lower(name));
              boolean gets = value != null && random.nextDouble() < share;
              options.put(name, gets ? with(values, OptionValues.lower(value), random) : values);
            });
    return item.withOptions(options);
  }

  private List<String> with(List<String> values, String value, SplittableRandom random) {
    List<String> with = new ArrayList<>(values);
    int most = 1 + random.nextInt(MOST);
    for (int i = 0; i < most; i++) {
      String alike = alike(value, random);
      if (!alike.equals(value) && with.stream().map(OptionValues::lower).noneMatch(alike::equals)) {
        with.add(random.nextInt(with.size() + 1), alike);
      }
    }
    return with;
  }

  private String alike(String value, SplittableRandom random) {
    List<String> words = OptionValues.words(value);
    List<String> others =
        OptionValues.words(
            OptionValues.lower(catalogue.get(random.nextInt(catalogue.size()))) + " plain");
    String other = others.get(0);
    if (words.size() < 2) {
      return random.nextBoolean() ? other + " " + value : value + " " + other;
    }
    String first = words.get(0);
    String last = words.get(words.size() - 1);
    int afterFirst = value.indexOf(first) + first.length();
    int beforeLast = value.lastIndexOf(last);
    return switch (random.nextInt(5)) {
      case 0 -> other + " " + value;
      case 1 -> value + " " + other;
      case 2 -> other + value.substring(afterFirst);
      case 3 -> value.substring(0, beforeLast) + other;
      default -> words.size() == 2 ? last : value.substring(afterFirst).replaceAll("^\\W+", "");
    };
  }
}
