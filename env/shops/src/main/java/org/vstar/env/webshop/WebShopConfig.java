package org.vstar.env.webshop;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.Default;
import org.vstar.common.FormerKey;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.common.Seeds;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Opened;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.webshop.agent.CarefulShopper;
import org.vstar.env.webshop.agent.Shoppers;
import org.vstar.env.webshop.agent.TranslatedAgent;
import org.vstar.env.webshop.catalog.ProductFiles;
import org.vstar.env.webshop.catalog.WebShopData;
import org.vstar.env.webshop.dialogue.CompactDialogue;
import org.vstar.env.webshop.dialogue.Dialogue;
import org.vstar.env.webshop.dialogue.VerlAgentDialogue;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.GoalDraw;
import org.vstar.env.webshop.goal.GoalSplit;
import org.vstar.env.webshop.goal.Goals;
import org.vstar.env.webshop.goal.MadeUpGoals;
import org.vstar.env.webshop.reward.NounTagger;
import org.vstar.env.webshop.reward.OpenNlpTagger;
import org.vstar.env.webshop.reward.RewardWeights;

/**
 * {@code environment} section for {@code kind: webshop}.
 *
 * @param data the published files
 * @param goals which goals there are, and how they are split
 * @param shop how the shop behaves, and how it talks to an agent
 * @param reward what turns and purchases are worth
 * @param demonstrator who the reference policy imitates
 * @param training how train tasks differ from the shop's own; each variation is a task of its own
 */
@FormerKey(value = "products", now = "data.products")
@FormerKey(value = "attributes", now = "data.attributes")
@FormerKey(value = "human", now = "data.human")
@FormerKey(value = "index", now = "data.index")
@FormerKey(value = "nouns", now = "data.nouns")
@FormerKey(value = "numProducts", now = "data.numProducts")
@FormerKey(value = "limitGoals", now = "goals.limitGoals")
@FormerKey(value = "seed", now = "goals.seed")
@FormerKey(value = "humanGoals", now = "goals.humanGoals")
@FormerKey(value = "split", now = "goals.split")
@FormerKey(value = "testGoals", now = "goals.testGoals")
@FormerKey(value = "perProduct", now = "goals.perProduct")
@FormerKey(value = "trainPerProduct", now = "goals.trainPerProduct")
@FormerKey(value = "maxTurns", now = "shop.maxTurns")
@FormerKey(value = "showAttributes", now = "shop.showAttributes")
@FormerKey(value = "prompts", now = "shop.prompts")
@FormerKey(value = "compat", now = "shop.compat")
@FormerKey(value = "invalidAction", now = "reward.invalidAction")
public record WebShopConfig(
    DataFiles data,
    @Default("{}") GoalSettings goals,
    @Default("{}") ShopSettings shop,
    @Default("{}") RewardWeights reward,
    @Default("{}") Demonstrator demonstrator,
    @Default("{}") TrainVariation training)
    implements EnvironmentConfig, Serializable {

  /**
   * The published files. Paths are relative to the config file.
   *
   * @param products list of products, WebShop's {@code items_shuffle*.json}
   * @param attributes attributes and instructions, {@code items_ins_v2*.json}
   * @param human instructions of people, {@code items_human_ins.json}
   * @param index folder where products are kept and indexed, once, if they are too many for memory;
   *     executors must see it too. Without it they are kept in memory
   * @param nouns file of nouns by title, for exact reproduction of recorded rewards. Without it
   *     OpenNLP's tagger finds them
   * @param numProducts how many entries of the list of products are looked at; all without it
   */
  public record DataFiles(
      String products,
      String attributes,
      String human,
      @OptionalKey String index,
      @OptionalKey String nouns,
      @OptionalKey Integer numProducts)
      implements Serializable {

    /** Checks the ranges. */
    public DataFiles {
      InvalidInputException.require(
          numProducts == null || numProducts > 0, "numProducts", numProducts, "at least 1");
    }

    WebShopData read(Path base, PythonRandom random) {
      ProductFiles files =
          new ProductFiles(
              base.resolve(products),
              base.resolve(attributes),
              base.resolve(human),
              numProducts == null ? Integer.MAX_VALUE : numProducts);
      return index == null
          ? WebShopData.read(files, random)
          : WebShopData.stored(files, base.resolve(index), random);
    }

    NounTagger tagger(Path base) {
      return nouns == null ? new OpenNlpTagger() : NounTagger.table(base.resolve(nouns));
    }
  }

  /**
   * Which goals there are, and how they are split.
   *
   * @param seed of prices, price bounds and the order of goals; the original has 233
   * @param humanGoals whether goals are those that people wrote, instead of synthetic ones
   * @param limitGoals how many goals there are, drawn by weight before they are split; all without
   *     it
   * @param split {@code product} shares no product between splits; {@code verl-agent} and {@code
   *     ragen} are the published positions, which do
   * @param testGoals test goals of {@code split: product}, at most
   * @param validationGoals validation goals, at most
   * @param perProduct held-out goals of one product of {@code split: product}, at most
   * @param trainPerProduct train goals of one product there, at most
   * @param madeUp whether products without an instruction get goals too, to train on: see {@link
   *     MadeUpGoals}
   */
  public record GoalSettings(
      @Default("233") long seed,
      @Default("false") boolean humanGoals,
      @OptionalKey Integer limitGoals,
      @Default("product") GoalSplit.Kind split,
      @Default("500") int testGoals,
      @Default("500") int validationGoals,
      @Default("10") int perProduct,
      @Default("20") int trainPerProduct,
      @Default("true") boolean madeUp)
      implements Serializable {

    /** Checks the ranges. */
    public GoalSettings {
      InvalidInputException.require(
          seed >= 0 && seed <= 0xffffffffL, "seed", seed, "0 to 4294967295");
      InvalidInputException.require(
          limitGoals == null || limitGoals > 0, "limitGoals", limitGoals, "at least 1");
      atLeastOne("testGoals", testGoals);
      atLeastOne("validationGoals", validationGoals);
      atLeastOne("perProduct", perProduct);
      atLeastOne("trainPerProduct", trainPerProduct);
    }

    private List<Goal> draw(WebShopData data, PythonRandom random, boolean original) {
      List<Goal> goals =
          new ArrayList<>(humanGoals ? Goals.human(data, random) : Goals.synthetic(data, random));
      PythonRandom order = new PythonRandom(seed);
      order.shuffle(goals);
      return limitGoals != null && limitGoals < goals.size()
          ? new GoalDraw(goals, original).distinct(limitGoals, order)
          : goals;
    }

    GoalSplit split(WebShopData data, PythonRandom random, boolean original) {
      List<Goal> goals = draw(data, random, original);
      GoalSplit goalSplit =
          GoalSplit.of(
              split,
              goals,
              new GoalSplit.Sizes(testGoals, validationGoals, perProduct, trainPerProduct));
      for (Split each : Split.values()) {
        if (goalSplit.goals(each).isEmpty()) {
          throw new InvalidInputException(
              String.format(
                  Locale.ROOT,
                  "split %s leaves %d train, %d validation and %d test goals: %d goals are too few"
                      + " for it",
                  split.words(),
                  goalSplit.train().size(),
                  goalSplit.validation().size(),
                  goalSplit.test().size(),
                  goals.size()));
        }
      }
      return madeUp
          ? goalSplit.withTrain(
              MadeUpGoals.of(
                  data,
                  goalSplit,
                  new PythonRandom(Seeds.derive(seed, "goals made up") >>> Integer.SIZE)),
              trainPerProduct)
          : goalSplit;
    }
  }

  /**
   * How the shop behaves, and how it talks to an agent.
   *
   * @param maxTurns turns of an episode
   * @param showAttributes whether products have a page of their attributes
   * @param prompts what an agent is shown and how it answers: {@code webshop}, {@code
   *     webshop-rich}, {@code ragen}, {@code verl-agent} or {@code compact}
   * @param compat {@code original} keeps the original's faults, {@code sane} does not
   */
  @FormerKey(value = "invalidAction", now = "environment.reward.invalidAction")
  public record ShopSettings(
      @Default("15") int maxTurns,
      @Default("false") boolean showAttributes,
      @Default("compact") Prompts prompts,
      @Default("sane") Compat compat)
      implements Serializable {

    /** Checks the ranges. */
    public ShopSettings {
      atLeastOne("maxTurns", maxTurns);
    }

    boolean original() {
      return compat == Compat.ORIGINAL;
    }

    Dialogue dialogue() {
      return switch (prompts) {
        case WEBSHOP -> new Dialogue.Plain(false, original());
        case WEBSHOP_RICH -> new Dialogue.Plain(true, original());
        case RAGEN -> new Dialogue.Ragen();
        case VERL_AGENT -> new VerlAgentDialogue();
        case COMPACT -> new CompactDialogue(maxTurns);
      };
    }
  }

  private static void atLeastOne(String key, int value) {
    InvalidInputException.require(value > 0, key, value, "at least 1");
  }

  /** What an agent is shown, and how it answers. */
  public enum Prompts {
    /** WebShop's own text. */
    @JsonProperty("webshop")
    WEBSHOP,
    /** The same with buttons marked, and which were clicked: {@code text_rich} there. */
    @JsonProperty("webshop-rich")
    WEBSHOP_RICH,
    /** WebShop's text and the actions that there are, as in RAGEN. */
    @JsonProperty("ragen")
    RAGEN,
    /** verl-agent's prompts, and its {@code <action>} mark. */
    @JsonProperty("verl-agent")
    VERL_AGENT,
    /** Few tokens, for small models. */
    @JsonProperty("compact")
    COMPACT
  }

  /** Whether the original's faults are kept. */
  public enum Compat {
    /** No. */
    @JsonProperty("sane")
    SANE,
    /** Yes. */
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

  @Override
  public Opened open(Path base, long runSeed) {
    WebShopEnvironment own = environment(base, runSeed);
    return new Opened(own, new TrainDemonstrations(own, demonstrator), baselines(own));
  }

  /**
   * The environment alone.
   *
   * @param base what relative paths are relative to
   * @param runSeed what variations of train tasks are drawn from
   * @throws org.vstar.common.InvalidInputException if its data cannot be read
   */
  public WebShopEnvironment environment(Path base, long runSeed) {
    PythonRandom random = new PythonRandom(goals.seed);
    WebShopData products = data.read(base, random);
    GoalSplit goalSplit = goals.split(products, random, shop.original());
    return new WebShopEnvironment(products, data.tagger(base), goalSplit, this, runSeed);
  }

  private static Player careful(WebShopEnvironment shop, int featuresUpTo) {
    return new TranslatedAgent(new CarefulShopper(shop::lexicon, shop.maxTurns(), featuresUpTo));
  }

  private Map<String, Player> baselines(WebShopEnvironment own) {
    Map<String, Player> agents = new LinkedHashMap<>();
    agents.put("random", Shoppers.random());
    agents.put("rule", Shoppers.rule(own.maxTurns()));
    agents.put("scan", Shoppers.scan(own.maxTurns()));
    agents.put("careful", careful(own, CarefulShopper.ALWAYS));
    // What a policy that imitates it without an error would reach.
    agents.put("imitated", careful(own, demonstrator.featuresUpTo()));
    agents.put("informed-scan", Shoppers.informedScan(own::shop));
    agents.put("oracle", Shoppers.oracle(own.goals()));
    return agents;
  }
}
