package org.vstar.env.webshop.catalog;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.vstar.common.CanonicalJson;
import org.vstar.common.OptionalKey;
import org.vstar.env.python.PythonText;

/**
 * A product as WebShop sees it.
 *
 * @param bullets the features page, one entry a bullet point
 * @param prices one price, or the two ends of a range
 * @param options group name → values, both lower case, in file order; values may repeat
 * @param attributes what attribute rewards compare with
 * @param instruction base text of its synthetic goals, null if it has none
 * @param human instructions that people wrote for it
 */
public record Item(
    String asin,
    String title,
    String description,
    List<String> bullets,
    List<Double> prices,
    Map<String, List<String>> options,
    List<String> attributes,
    @OptionalKey String instruction,
    List<String> instructionAttributes,
    List<HumanInstruction> human,
    String query,
    String category,
    String productCategory)
    implements Serializable {

  /** What a person asked for, with the options and attributes that it names. */
  public record HumanInstruction(String text, List<String> attributes, List<String> options)
      implements Serializable {
    CanonicalJson canonical() {
      return CanonicalJson.of("webshop human instruction", 1)
          .with("text", text)
          .with("attributes", attributes)
          .with("options", options);
    }
  }

  /** What the catalogue's fingerprint is taken of. The order of options counts: pages show it. */
  CanonicalJson canonical() {
    List<List<Object>> groups = new ArrayList<>();
    options.forEach((group, values) -> groups.add(List.of(group, values)));
    return CanonicalJson.of("webshop product", 1)
        .with("asin", asin)
        .with("title", title)
        .with("description", description)
        .with("bullets", bullets)
        .with("prices", prices)
        .with("options", groups)
        .with("attributes", attributes)
        .with("instruction", instruction)
        .with("instructionAttributes", instructionAttributes)
        .with("human", human.stream().map(HumanInstruction::canonical).toList())
        .with("query", query)
        .with("category", category)
        .with("productCategory", productCategory);
  }

  /** The same product with other options. */
  public Item withOptions(Map<String, List<String>> others) {
    return new Item(
        asin,
        title,
        description,
        bullets,
        prices,
        others,
        attributes,
        instruction,
        instructionAttributes,
        human,
        query,
        category,
        productCategory);
  }

  /** The same product with another instruction and what it asks for. */
  public Item withInstruction(String text, List<String> wanted) {
    return new Item(
        asin,
        title,
        description,
        bullets,
        prices,
        options,
        attributes,
        text,
        wanted,
        human,
        query,
        category,
        productCategory);
  }

  /** The price as pages show it: {@code $9.5}, or {@code $9.5 to $12.0}. */
  public String priceText() {
    String first = "$" + PythonText.text(prices.get(0));
    return prices.size() == 1 ? first : first + " to $" + PythonText.text(prices.get(1));
  }
}
