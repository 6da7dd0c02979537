package org.vstar.env.webshop.catalog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vstar.common.ContentHash;
import org.vstar.env.shopping.SearchIndex;

/** Products in memory: what thousands need. */
final class MemoryProducts implements Products {

  private static final long serialVersionUID = 1L;

  private final ArrayList<Item> items;
  private final Map<String, Integer> indices = new HashMap<>();

  MemoryProducts(List<Item> items) {
    this.items = new ArrayList<>(items);
    for (int i = 0; i < items.size(); i++) {
      indices.put(items.get(i).asin(), i);
    }
  }

  static MemoryProducts read(ProductFiles files) {
    List<Item> items = new ArrayList<>();
    files.read((item, bytes) -> items.add(item));
    return new MemoryProducts(items);
  }

  @Override
  public int size() {
    return items.size();
  }

  @Override
  public Item get(int index) {
    return items.get(index);
  }

  @Override
  public int index(String asin) {
    return indices.getOrDefault(asin, -1);
  }

  @Override
  public double minPrice(int index) {
    return get(index).prices().get(0);
  }

  @Override
  public double maxPrice(int index) {
    List<Double> prices = get(index).prices();
    return prices.size() == 1 ? Double.NaN : prices.get(1);
  }

  @Override
  public List<Item> withInstruction() {
    return items.stream().filter(item -> item.instruction() != null).toList();
  }

  @Override
  public List<Item> withHumanInstruction() {
    return items.stream().filter(item -> !item.human().isEmpty()).toList();
  }

  @Override
  public String fingerprint() {
    ContentHash hash = new ContentHash();
    items.forEach(item -> hash.add(item.canonical().text()));
    return hash.hex();
  }

  @Override
  public SearchIndex search() {
    return ProductSearch.inMemory(items);
  }
}
