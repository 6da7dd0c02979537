package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import org.vstar.common.Seeds;
import org.vstar.env.webshop.catalog.Item;

/**
 * Puts values that are nearly the wanted one among a product's options: where {@code light blue} is
 * wanted, {@code blue}, {@code light rose} or {@code light blue floral}. Who compares only the end
 * of a value, or its beginning, takes them for it. The wanted value itself is not put in.
 *
 * <p>It is for demonstrations. The reward takes {@code hot pink} for {@code pink}, so whoever
 * learns from rewards would learn not to tell them apart.
 *
 * @param seed which values; a product is the same at every look
 * @param share the probability that a list of options gets some
 * @param wanted what the episode's instruction wants, option → value, in lower case as products
 *     have them
 * @param catalogue all values of the catalogue's options
 */
public record AlikeValues(
    long seed, double share, Map<String, String> wanted, List<String> catalogue)
    implements UnaryOperator<Item> {

  /** At most so many values are put into a list. */
  private static final int MOST = 2;

  @Override
  public Item apply(Item item) {
    SplittableRandom random = Seeds.random(seed, "values that are alike", item.asin());
    List<String> taken =
        new ArrayList<>(item.options().values().stream().flatMap(List::stream).toList());
    taken.addAll(item.options().keySet());
    Map<String, List<String>> options = new LinkedHashMap<>();
    item.options()
        .forEach(
            (name, values) -> {
              String value = wanted.get(name);
              boolean gets = value != null && random.nextDouble() < share;
              options.put(name, gets ? with(values, value, taken, random) : values);
            });
    return item.withOptions(options);
  }

  private List<String> with(
      List<String> values, String value, List<String> taken, SplittableRandom random) {
    List<String> with = new ArrayList<>(values);
    int most = 1 + random.nextInt(MOST);
    for (int i = 0; i < most; i++) {
      String alike = alike(value, random);
      if (!alike.equals(value) && !taken.contains(alike)) {
        with.add(random.nextInt(with.size() + 1), alike);
        taken.add(alike);
      }
    }
    return with;
  }

  private String alike(String value, SplittableRandom random) {
    String other = word(random);
    List<MatchResult> words = OptionValues.WORD.matcher(value).results().toList();
    if (words.size() < 2) {
      return random.nextBoolean() ? other + " " + value : value + " " + other;
    }
    MatchResult first = words.get(0);
    MatchResult last = words.get(words.size() - 1);
    return switch (random.nextInt(5)) {
      case 0 -> other + " " + value;
      case 1 -> value + " " + other;
      case 2 -> value.substring(0, first.start()) + other + value.substring(first.end());
      case 3 -> value.substring(0, last.start()) + other + value.substring(last.end());
      default -> value.substring(words.get(1).start());
    };
  }

  /** A word that begins a value of the catalogue. */
  private String word(SplittableRandom random) {
    String any = OptionValues.lower(catalogue.get(random.nextInt(catalogue.size())));
    return OptionValues.words(any + " plain").get(0);
  }
}
