package org.vstar.env.webshop.simulator;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.vstar.common.Seeds;
import org.vstar.env.python.PythonText;
import org.vstar.env.shopping.SearchIndex;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.catalog.ProductSearch;
import org.vstar.env.webshop.catalog.WebShopData;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.reward.NounTagger;
import org.vstar.env.webshop.reward.PurchaseReward;

/** The shop: products, search and reward, opened once and shared by all sessions and threads. */
public final class WebShop implements AutoCloseable {

  private static final int RANDOM_PRODUCTS = 50;

  private final WebShopData data;
  private final SearchIndex search;
  private final PurchaseReward reward;
  private final boolean showsAttributes;
  private final UnaryOperator<Item> change;

  /**
   * Opens a shop.
   *
   * @param showsAttributes whether products have a page of their attributes ({@code show_attrs})
   */
  public WebShop(WebShopData data, NounTagger tagger, boolean showsAttributes) {
    this(
        data,
        data.products().search(),
        new PurchaseReward(tagger),
        showsAttributes,
        UnaryOperator.identity());
  }

  private WebShop(
      WebShopData data,
      SearchIndex search,
      PurchaseReward reward,
      boolean showsAttributes,
      UnaryOperator<Item> change) {
    this.data = data;
    this.search = search;
    this.reward = reward;
    this.showsAttributes = showsAttributes;
    this.change = change;
  }

  /** The same shop with the same search, whose pages show changed products. */
  public WebShop withItems(UnaryOperator<Item> otherwise) {
    return new WebShop(data, search, reward, showsAttributes, otherwise);
  }

  /** A product as pages show it. */
  public Item item(String asin) {
    return change.apply(data.item(asin).orElseThrow());
  }

  public WebShopData data() {
    return data;
  }

  public SearchIndex search() {
    return search;
  }

  boolean showsAttributes() {
    return showsAttributes;
  }

  PurchaseReward reward() {
    return reward;
  }

  /**
   * Opens a session.
   *
   * @param id what addresses show
   * @param original whether it has the original's faults
   */
  public Session session(Goal goal, String id, boolean original) {
    return new Session(this, goal, id, original);
  }

  /**
   * The asins that a search shows. The first keyword can be {@code <r>} (some products, the same
   * for the same words), {@code <q>} (products of a query) or {@code <c>} (of a category).
   */
  public List<String> find(List<String> keywords) {
    switch (keywords.get(0)) {
      case "<r>" -> {
        SplittableRandom random = Seeds.random(0, "products to show", keywords);
        List<Item> items = data.items();
        return random
            .ints(0, items.size())
            .distinct()
            .limit(Math.min(RANDOM_PRODUCTS, items.size()))
            .mapToObj(index -> items.get(index).asin())
            .toList();
      }
      case "<q>" -> {
        String query = PythonText.strip(String.join(" ", keywords.subList(1, keywords.size())));
        return search.withValue(ProductSearch.QUERY, query);
      }
      case "<c>" -> {
        String category = keywords.size() > 1 ? PythonText.strip(keywords.get(1)) : "";
        return search.withValue(ProductSearch.CATEGORY, category);
      }
      default -> {
        return search.search(String.join(" ", keywords)).stream().map(SearchIndex.Hit::id).toList();
      }
    }
  }

  @Override
  public void close() {
    search.close();
  }
}
