package org.vstar.env.webshop;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vstar.env.Agent;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.InputError;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;

/**
 * {@code environment} section for {@code kind: webshop}. Paths are relative to the config file.
 *
 * @param products list of products, WebShop's {@code items_shuffle*.json}
 * @param attributes attributes and instructions, {@code items_ins_v2*.json}
 * @param human instructions of people, {@code items_human_ins.json}
 * @param nouns file of nouns by title, for exact reproduction of recorded rewards; without it
 *     {@link OpenNlpTagger} finds them
 * @param seed of prices, price bounds and the order of goals; 233 as in the original
 * @param humanGoals whether goals are those that people wrote
 * @param split which goals are for testing
 * @param testGoals most test goals of {@code split: product}
 * @param perProduct most test goals of one product there
 * @param maxTurns turns of an episode
 * @param compat {@code original} for its faults, {@code sane} without
 * @param invalidAction reward of what is not a possible action; 0 as in the original
 */
public record WebShopConfig(
    @JsonProperty(required = true) String products,
    @JsonProperty(required = true) String attributes,
    @JsonProperty(required = true) String human,
    String nouns,
    @JsonProperty(required = true) long seed,
    @JsonProperty(required = true) boolean humanGoals,
    @JsonProperty(required = true) GoalSplit.Kind split,
    @JsonProperty(required = true) int testGoals,
    @JsonProperty(required = true) int perProduct,
    @JsonProperty(required = true) int maxTurns,
    @JsonProperty(required = true) Compat compat,
    @JsonProperty(required = true) double invalidAction)
    implements EnvironmentConfig, Serializable {

  /** Whether the original's faults are kept. */
  public enum Compat {
    @JsonProperty("sane")
    SANE,
    @JsonProperty("original")
    ORIGINAL
  }

  /** Makes {@code webshop} known. */
  public static final class Kind implements EnvironmentKind {
    @Override
    public String kind() {
      return WebShopEnvironment.NAME;
    }

    @Override
    public Class<WebShopConfig> config() {
      return WebShopConfig.class;
    }
  }

  public WebShopConfig {
    InputError.require(seed >= 0 && seed <= 0xffffffffL, "seed", seed, "0 to 4294967295");
    InputError.require(testGoals > 0, "testGoals", testGoals, "at least 1");
    InputError.require(perProduct > 0, "perProduct", perProduct, "at least 1");
    InputError.require(maxTurns > 0, "maxTurns", maxTurns, "at least 1");
  }

  boolean original() {
    return compat == Compat.ORIGINAL;
  }

  /** What transitions depend on besides the data. */
  String settings() {
    return compat + " " + maxTurns;
  }

  @Override
  public WebShopEnvironment open(Path base) {
    PythonRandom random = new PythonRandom(seed);
    WebShopData data =
        WebShopData.read(
            base.resolve(products), base.resolve(attributes), base.resolve(human), random);
    List<Goal> goals =
        new ArrayList<>(humanGoals ? Goals.human(data, random) : Goals.synthetic(data, random));
    new PythonRandom(seed).shuffle(goals);
    GoalSplit halves = GoalSplit.of(split, goals, testGoals, perProduct);
    NounTagger tagger = nouns == null ? new OpenNlpTagger() : NounTagger.table(base.resolve(nouns));
    return new WebShopEnvironment(data, tagger, halves, this);
  }

  /** The rule shopper on train goals. */
  @Override
  public DemonstrationSource demonstrations(Environment environment) {
    return (seed, episodes) -> {
      java.util.SplittableRandom random = new java.util.SplittableRandom(seed);
      List<Task> tasks = environment.tasks(Split.TRAIN);
      List<List<Turn>> played = new ArrayList<>();
      for (int i = 0; i < episodes; i++) {
        Task task = tasks.get(random.nextInt(tasks.size()));
        played.add(
            Shoppers.rule(environment.maxTurns()).play(environment, task, random.nextLong()));
      }
      return played;
    };
  }

  @Override
  public Map<String, Agent> baselines(Environment environment) {
    Map<String, Agent> agents = new LinkedHashMap<>();
    agents.put("random", Shoppers.random());
    agents.put("rule", Shoppers.rule(environment.maxTurns()));
    agents.put("scan", Shoppers.scan(environment.maxTurns()));
    agents.put("oracle", Shoppers.oracle((WebShopEnvironment) environment));
    return agents;
  }
}
