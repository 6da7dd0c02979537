package org.vstar.env.webshop.goal;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import org.vstar.env.webshop.catalog.Item;

/**
 * What a shopper wants.
 *
 * @param instruction what the agent is told
 * @param attributes what the product must be
 * @param priceUpper what it may cost at most; 1,000,000 if nothing was said
 * @param options group → value, sorted by group; empty for goals that people wrote
 * @param humanOptions option values that a person named; empty for synthetic goals
 * @param weight how often WebShop draws it
 */
public record Goal(
    Item item,
    String instruction,
    List<String> attributes,
    double priceUpper,
    Map<String, String> options,
    List<String> humanOptions,
    double weight)
    implements Serializable {

  /** The same goal, drawn as often as another weight says. */
  public Goal withWeight(double other) {
    return new Goal(item, instruction, attributes, priceUpper, options, humanOptions, other);
  }

  /** How many options are wanted. */
  public int optionCount() {
    return options.size() + humanOptions.size();
  }
}
