package org.vstar.env.webshop.catalog;

import java.io.Serializable;
import java.util.List;
import org.vstar.env.shopping.SearchIndex;

/**
 * A catalogue's products, by their index, which is their place in the file. Safe to be used by many
 * threads.
 */
public sealed interface Products extends Serializable permits MemoryProducts, StoredProducts {

  int size();

  Item get(int index);

  /** The index of the product with an asin, −1 if there is none. */
  int index(String asin);

  /** The price, or the lower end of its range. */
  double minPrice(int index);

  /** The upper end of a price range; NaN where there is one price. */
  double maxPrice(int index);

  /** Those that have an instruction of their own, from which synthetic goals are made. */
  List<Item> withInstruction();

  /** Those that people wrote instructions for. */
  List<Item> withHumanInstruction();

  /** Content hash of all of them. */
  String fingerprint();

  /** Opens the search over them. */
  SearchIndex search();
}
