package org.vstar.env.webshop.agent;

import java.io.Serializable;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.goal.Goal;

/**
 * What a shopper knows of the shop's language before it shops.
 *
 * @param attributes what train instructions ask products to be, for example {@code long sleeve}
 * @param optionNames what options of products are called, for example {@code color}
 */
public record ShopLexicon(Set<String> attributes, Set<String> optionNames) implements Serializable {

  public ShopLexicon {
    attributes = Set.copyOf(attributes);
    optionNames = Set.copyOf(optionNames);
  }

  /** Learns the attributes of train goals and the names of all options in the catalogue. */
  public static ShopLexicon of(Collection<Goal> train, Collection<Item> catalogue) {
    Set<String> attributes = new HashSet<>();
    train.forEach(goal -> attributes.addAll(goal.attributes()));
    Set<String> names = new HashSet<>();
    catalogue.forEach(item -> names.addAll(item.options().keySet()));
    return new ShopLexicon(attributes, names);
  }
}
