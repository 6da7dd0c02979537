package org.vstar.env.webshop;

import java.nio.file.Path;
import org.vstar.env.webshop.WebShopConfig.Compat;
import org.vstar.env.webshop.WebShopConfig.Prompts;

/** The catalogue of our own, as the tests open it. */
final class MiniShop {

  static final Path FOLDER = Path.of("../datasets/webshop-mini");
  static final CarelessShopper.Rates CAREFUL = new CarelessShopper.Rates(0, 0, 0, 0, 0, 0);

  private MiniShop() {}

  static WebShopConfig config(
      Prompts prompts, Compat compat, double invalidAction, CarelessShopper.Rates rates) {
    return new WebShopConfig(
        "items.json",
        "attributes.json",
        "human.json",
        null,
        null,
        233,
        false,
        GoalSplit.Kind.PRODUCT,
        40,
        5,
        1000,
        15,
        false,
        prompts,
        compat,
        invalidAction,
        rates);
  }

  static WebShopEnvironment open(Prompts prompts, Compat compat, double invalidAction) {
    return config(prompts, compat, invalidAction, CAREFUL).open(FOLDER);
  }
}
