package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.vstar.common.Seeds;
import org.vstar.env.webshop.catalog.Item;

/**
 * Shuffles each product's option values and drops some of them; at least one of every group stays.
 * A policy can then not know by heart whether a product has an option: it has to read the page.
 *
 * @param seed which order, and which values; a product is the same at every look
 * @param dropped the probability that a value is left out
 */
public record OptionAugmentation(long seed, double dropped) implements UnaryOperator<Item> {

  @Override
  public Item apply(Item item) {
    SplittableRandom random = Seeds.random(seed, "option values", item.asin());
    Map<String, List<String>> options = new LinkedHashMap<>();
    item.options().forEach((group, values) -> options.put(group, some(values, random)));
    return item.withOptions(options);
  }

  private List<String> some(List<String> values, SplittableRandom random) {
    List<String> order = new ArrayList<>(values);
    Seeds.shuffle(order, random);
    List<String> some = new ArrayList<>();
    for (String value : order) {
      if (random.nextDouble() >= dropped) {
        some.add(value);
      }
    }
    return some.isEmpty() && !order.isEmpty() ? order.subList(0, 1) : some;
  }
}
