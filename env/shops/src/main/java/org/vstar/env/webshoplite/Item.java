package org.vstar.env.webshoplite;

import java.io.Serializable;
import java.util.List;
import org.vstar.common.CanonicalJson;

/**
 * One product of the catalogue.
 *
 * @param id what actions name it by, 0 to catalogue size − 1
 * @param title unique in the catalogue
 * @param category one of the shop's categories
 * @param tags words that searches match besides the title
 * @param price in dollars, above 0
 * @param attributes what its page says of it
 */
public record Item(
    int id, String title, String category, List<String> tags, double price, List<String> attributes)
    implements Serializable {

  public Item {
    require(title != null && !title.isBlank(), "title is empty");
    require(category != null && !category.isBlank(), "category is empty");
    require(price > 0, "price is " + price + ", expected more than 0");
    tags = List.copyOf(tags);
    attributes = List.copyOf(attributes);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** What the catalogue's fingerprint is taken of. */
  CanonicalJson canonical() {
    return CanonicalJson.of("webshop-lite product", 1)
        .with("id", id)
        .with("title", title)
        .with("category", category)
        .with("tags", tags)
        .with("price", price)
        .with("attributes", attributes);
  }

  Item withId(int newId) {
    return new Item(newId, title, category, tags, price, attributes);
  }
}
