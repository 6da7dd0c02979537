package org.vstar.env.webshoplite;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.vstar.common.Default;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.Player;

/**
 * {@code environment} section for {@code kind: webshop-lite}.
 *
 * @param catalogue file of products, one JSON object a line
 * @param testTargets products held out as test targets
 * @param validationTargets products held out as validation targets
 * @param maxTurns turns of an episode
 * @param rewards a preset and its overrides
 * @param demonstrator error rates of the shopper that is imitated
 */
public record WebShopLiteConfig(
    String catalogue,
    int testTargets,
    int validationTargets,
    @Default("15") int maxTurns,
    @Default("{}") Rewards rewards,
    @Default("{}") NoisyShopper.ErrorRates demonstrator)
    implements EnvironmentConfig {

  /** Makes {@code webshop-lite} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return WebShopLiteEnvironment.NAME;
    }

    @Override
    public Class<WebShopLiteConfig> config() {
      return WebShopLiteConfig.class;
    }
  }

  @Override
  public Opened open(Path base, long runSeed) {
    WebShopLiteEnvironment shop = environment(base);
    return new Opened(shop, new NoisyDemonstrations(shop, demonstrator), baselines(shop));
  }

  WebShopLiteEnvironment environment(Path base) {
    return new WebShopLiteEnvironment(
        Catalogue.read(base.resolve(catalogue)), rewards, testTargets, validationTargets, maxTurns);
  }

  private static Map<String, Player> baselines(WebShopLiteEnvironment shop) {
    Map<String, Player> agents = new LinkedHashMap<>();
    agents.put("random", Shoppers.random(shop.actionGrammar()));
    agents.put("heuristic", Shoppers.heuristic());
    agents.put("expert", NoisyShopper.expert());
    return agents;
  }
}
