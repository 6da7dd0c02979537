package org.vstar.env.shop;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.util.List;

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
public record Product(
    @JsonProperty(required = true) int id,
    @JsonProperty(required = true) String title,
    @JsonProperty(required = true) String category,
    @JsonProperty(required = true) List<String> tags,
    @JsonProperty(required = true) double price,
    @JsonProperty(required = true) List<String> attributes)
    implements Serializable {

  public Product {
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

  Product withId(int newId) {
    return new Product(newId, title, category, tags, price, attributes);
  }
}
