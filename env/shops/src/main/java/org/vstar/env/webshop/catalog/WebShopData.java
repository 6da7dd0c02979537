package org.vstar.env.webshop.catalog;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.env.python.PythonRandom;

/** WebShop's products and what they cost; immutable and shared. */
public final class WebShopData implements Serializable {

  private static final long serialVersionUID = 1L;

  private final Products products;
  private final double[] prices;

  /** Takes products and draws what each costs: of a range, a uniform draw. */
  WebShopData(Products products, PythonRandom random) {
    this.products = products;
    this.prices = new double[products.size()];
    for (int i = 0; i < prices.length; i++) {
      double minPrice = products.minPrice(i);
      double maxPrice = products.maxPrice(i);
      prices[i] = Double.isNaN(maxPrice) ? minPrice : random.uniform(minPrice, maxPrice);
    }
  }

  /**
   * Reads WebShop's files into memory.
   *
   * @param random draws the prices of products that have a range
   * @throws InvalidInputException with file and line for what is not WebShop's format
   */
  public static WebShopData read(ProductFiles files, PythonRandom random) {
    return new WebShopData(MemoryProducts.read(files), random);
  }

  /**
   * The same with all products on disk, for catalogues that do not fit into memory.
   *
   * @param index the folder that they are in; where there is none it is made from the files, once
   * @throws InvalidInputException if it was made from other files
   */
  public static WebShopData stored(ProductFiles files, Path index, PythonRandom random) {
    return new WebShopData(StoredProducts.open(index, files), random);
  }

  /** The products, in memory or on disk. */
  public Products products() {
    return products;
  }

  /** All products, in file order. */
  public List<Item> items() {
    return new AbstractList<>() {
      @Override
      public Item get(int i) {
        return products.get(i);
      }

      @Override
      public int size() {
        return products.size();
      }
    };
  }

  /** The product with an asin. */
  public Optional<Item> item(String asin) {
    int index = products.index(asin);
    return index < 0 ? Optional.empty() : Optional.of(products.get(index));
  }

  /** What a product costs when it is bought. */
  public double price(Item item) {
    return prices[products.index(item.asin())];
  }

  /** Content hash of the products and their prices. */
  public String fingerprint() {
    ContentHash hash = new ContentHash().add(products.fingerprint());
    for (double price : prices) {
      hash.add(Double.doubleToLongBits(price));
    }
    return hash.hex();
  }
}
