package org.vstar.env.webshop;

import java.nio.file.Path;
import org.vstar.env.webshop.WebShopConfig.Compat;
import org.vstar.env.webshop.WebShopConfig.Prompts;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.goal.GoalSplit;

/** The catalogue of our own, as the tests open it. */
public final class MiniShop {

  static final Path FOLDER = Path.of("../datasets/webshop-mini");
  static final NoisyShopper.ErrorRates CAREFUL = new NoisyShopper.ErrorRates(0, 0, 0, 0, 0, 0, 0);

  private MiniShop() {}

  public static WebShopConfig config(
      Prompts prompts, Compat compat, double invalidAction, NoisyShopper.ErrorRates rates) {
    return config(prompts, compat, invalidAction, rates, null, null);
  }

  private static WebShopConfig config(
      Prompts prompts,
      Compat compat,
      double invalidAction,
      NoisyShopper.ErrorRates rates,
      Integer numProducts,
      Integer limitGoals) {
    return new WebShopConfig(
        new WebShopConfig.DataFiles(
            "items.json", "attributes.json", "human.json", null, null, numProducts),
        new WebShopConfig.GoalSettings(
            233, false, limitGoals, GoalSplit.Kind.PRODUCT, 40, 20, 5, 1000),
        new WebShopConfig.ShopSettings(15, false, prompts, compat, invalidAction),
        rates);
  }

  /** A part of it; null for all. */
  public static WebShopEnvironment part(Compat compat, Integer numProducts, Integer limitGoals) {
    return config(Prompts.WEBSHOP, compat, 0, CAREFUL, numProducts, limitGoals).open(FOLDER);
  }

  public static WebShopEnvironment open(Prompts prompts, Compat compat, double invalidAction) {
    return config(prompts, compat, invalidAction, CAREFUL).open(FOLDER);
  }
}
