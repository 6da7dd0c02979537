package org.vstar.env.webshop.agent;

import java.util.List;
import java.util.Set;
import org.vstar.env.webshop.simulator.Label;
import org.vstar.env.webshop.simulator.Session;

/** Pages that no shop has shown. */
final class ShopPages {

  private static final Set<Label> PRODUCT_BUTTONS =
      Set.of(Label.PREVIOUS, Label.DESCRIPTION, Label.FEATURES, Label.REVIEWS, Label.BUY);

  private ShopPages() {}

  static ShopPage index(String instruction) {
    return new ShopPage(
        Session.Kind.INDEX, instruction, List.of(), List.of(), Set.of(Label.SEARCH), "");
  }

  static ShopPage results(String instruction, ShopPage.Result... results) {
    return new ShopPage(
        Session.Kind.RESULTS, instruction, List.of(results), List.of(), Set.of(Label.NEXT), "");
  }

  static ShopPage product(String instruction, String... choices) {
    return new ShopPage(
        Session.Kind.ITEM, instruction, List.of(), List.of(choices), PRODUCT_BUTTONS, "");
  }
}
