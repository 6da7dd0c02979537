package org.vstar.env.webshop;

import java.nio.file.Path;
import org.vstar.env.webshop.WebShopConfig.Compat;
import org.vstar.env.webshop.WebShopConfig.Prompts;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.goal.GoalSplit;
import org.vstar.env.webshop.reward.RewardWeights;

/** The catalogue of our own, as the tests open it. */
public final class MiniShop {

  public static final Path FOLDER = Path.of("../../datasets/webshop-mini");
  static final TrainVariation NONE = TrainVariation.NONE;
  public static final Demonstrator RULE = noisy(new NoisyShopper.ErrorRates(0, 0, 0, 0, 0), 0);

  private MiniShop() {}

  /** A noisy demonstrator, some of whose products' options are left out. */
  static Demonstrator noisy(NoisyShopper.ErrorRates rates, double droppedValues) {
    return new Demonstrator(
        0, -1, 0, rates, new TrainVariation(0, droppedValues, 0, 0, 0, 0, 0, 0, 1));
  }

  public static WebShopConfig config(
      Prompts prompts, Compat compat, double invalidAction, Demonstrator demonstrator) {
    return config(prompts, compat, invalidAction, demonstrator, null, null);
  }

  private static WebShopConfig config(
      Prompts prompts,
      Compat compat,
      double invalidAction,
      Demonstrator demonstrator,
      Integer numProducts,
      Integer limitGoals) {
    return new WebShopConfig(
        new WebShopConfig.DataFiles(
            "items.json", "attributes.json", "human.json", null, null, numProducts),
        new WebShopConfig.GoalSettings(
            233, false, limitGoals, GoalSplit.Kind.PRODUCT, 40, 20, 5, 1000, false),
        new WebShopConfig.ShopSettings(15, false, prompts, compat),
        new RewardWeights(0, 1, 0, invalidAction),
        demonstrator,
        NONE);
  }

  /** A part of it; null for all. */
  public static WebShopEnvironment part(Compat compat, Integer numProducts, Integer limitGoals) {
    return config(Prompts.WEBSHOP, compat, 0, RULE, numProducts, limitGoals).environment(FOLDER, 0);
  }

  public static WebShopEnvironment open(Prompts prompts, Compat compat, double invalidAction) {
    return config(prompts, compat, invalidAction, RULE).environment(FOLDER, 0);
  }
}
