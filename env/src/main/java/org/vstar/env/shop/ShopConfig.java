package org.vstar.env.shop;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.vstar.env.Agent;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;

/**
 * {@code environment} section for {@code kind: webshop-lite}.
 *
 * @param catalogue file of products, one JSON object a line
 * @param testTargets products held out as test targets
 * @param maxTurns turns of an episode
 * @param rewards a preset, and what of it is to be different
 * @param demonstrator error rates of the shopper that is imitated
 */
public record ShopConfig(
    @JsonProperty(required = true) String catalogue,
    @JsonProperty(required = true) int testTargets,
    @JsonProperty(required = true) int maxTurns,
    @JsonProperty(required = true) ShopRewards rewards,
    @JsonProperty(required = true) Demonstrator.Rates demonstrator)
    implements EnvironmentConfig {

  /** Makes {@code webshop-lite} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return Shop.NAME;
    }

    @Override
    public Class<ShopConfig> config() {
      return ShopConfig.class;
    }
  }

  @Override
  public Shop open(Path base) {
    return new Shop(Catalogue.read(base.resolve(catalogue)), rewards, testTargets, maxTurns);
  }

  @Override
  public DemonstrationSource demonstrations(Environment environment) {
    return new ShuffledDemonstrations((Shop) environment, demonstrator);
  }

  @Override
  public Map<String, Agent> baselines(Environment environment) {
    Map<String, Agent> agents = new LinkedHashMap<>();
    agents.put("random", ScriptedAgents.random(environment.actions()));
    agents.put("heuristic", ScriptedAgents.heuristic());
    agents.put("expert", Demonstrator.expert());
    return agents;
  }
}
