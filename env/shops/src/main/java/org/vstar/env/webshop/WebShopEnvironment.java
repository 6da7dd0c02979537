package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;
import org.vstar.env.ActionGrammar;
import org.vstar.env.Answer;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.webshop.Variations.Variant;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.agent.ShopLexicon;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.catalog.WebShopData;
import org.vstar.env.webshop.dialogue.Dialogue;
import org.vstar.env.webshop.dialogue.Rewording;
import org.vstar.env.webshop.dialogue.WebShopEpisode;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.GoalDraw;
import org.vstar.env.webshop.goal.GoalSplit;
import org.vstar.env.webshop.reward.NounTagger;
import org.vstar.env.webshop.simulator.Session;
import org.vstar.env.webshop.simulator.WebShop;

/** WebShop as an environment: one task per goal, observations as WebShop's own text. */
public final class WebShopEnvironment implements Environment {

  /** The environment's name in configs and tables. */
  public static final String NAME = "webshop";

  private static final long serialVersionUID = 1L;
  private static final int RULES = 9;

  private final WebShopData data;
  private final NounTagger tagger;
  private final GoalSplit split;
  private final WebShopConfig config;
  private final Dialogue dialogue;
  private final String fingerprint;
  private final Map<Split, List<Task>> originals = new EnumMap<>(Split.class);
  private final Map<String, Variant> variants = new LinkedHashMap<>();
  private final List<Task> trainTasks;
  private final Map<String, Goal> goals = new LinkedHashMap<>();
  private final Lazy<WebShop> shop = new Lazy<>();
  private final Lazy<Variations> variations = new Lazy<>();
  private final Lazy<ShopLexicon> lexicon = new Lazy<>();

  /**
   * Takes products and goals that have been read and split.
   *
   * @param runSeed what variations of train tasks are drawn from
   */
  WebShopEnvironment(
      WebShopData data, NounTagger tagger, GoalSplit split, WebShopConfig config, long runSeed) {
    this.data = data;
    this.tagger = tagger;
    this.split = split;
    this.config = config;
    this.dialogue = config.shop().dialogue();
    CanonicalJson content =
        CanonicalJson.of(NAME, RULES)
            .with("compat", config.shop().compat().name())
            .with("prompts", config.shop().prompts().name())
            .with("showAttributes", config.shop().showAttributes())
            .with("maxTurns", config.shop().maxTurns())
            .with("training", config.training().canonical())
            .with("data", data.fingerprint());
    for (Split which : Split.values()) {
      originals.put(which, makeTasks(which));
      content.with(which.word(), originals.get(which).stream().map(Task::id).toList());
    }
    this.fingerprint = content.fingerprint();
    this.trainTasks = vary(originals.get(Split.TRAIN), runSeed);
  }

  /** A task that nothing varies of stays as it is. */
  private List<Task> vary(List<Task> train, long runSeed) {
    if (!config.training().varies()) {
      return train;
    }
    for (Task task : train) {
      for (Variant variant : variations().of(task, config.training(), runSeed)) {
        variants.put(variant.task().id(), variant);
      }
    }
    return variants.values().stream().map(Variant::task).toList();
  }

  private Variations variations() {
    return variations.get(() -> new Variations(this));
  }

  private List<Task> makeTasks(Split which) {
    List<Task> made = new ArrayList<>();
    for (Goal goal : split.goals(which)) {
      // A few goals are there twice, word for word: each is a task of its own.
      int copy = 0;
      while (goals.containsKey(id(goal, copy))) {
        copy++;
      }
      String id = id(goal, copy);
      goals.put(id, goal);
      Item item = goal.item();
      made.add(new Task(id, NAME, which, dialogue.prompt(goal), item.category(), item.asin()));
    }
    return List.copyOf(made);
  }

  private static String id(Goal goal, int copy) {
    return CanonicalJson.of("webshop task", 1)
        .with("instruction", goal.instruction())
        .with("asin", goal.item().asin())
        .with("options", goal.options())
        .with("copy", copy)
        .fingerprint();
  }

  /** The shop itself, indexed on first use. */
  public WebShop shop() {
    return shop.get(() -> new WebShop(data, tagger, config.shop().showAttributes()));
  }

  /** What the tasks of all splits want. */
  public Collection<Goal> goals() {
    return Collections.unmodifiableCollection(goals.values());
  }

  /** What a shopper can know of its language from train goals and the catalogue. */
  ShopLexicon lexicon() {
    return lexicon.get(() -> ShopLexicon.of(split.train(), data.items()));
  }

  /** Which goals are in which split. */
  public GoalSplit split() {
    return split;
  }

  /** Draws the tasks of one split by their goals' weights: indices into {@link #originals}. */
  public GoalDraw draw(Split which) {
    return new GoalDraw(split.goals(which), config.shop().original());
  }

  /**
   * What a task wants.
   *
   * @throws InvalidInputException if the task is not one of this environment's
   */
  public Goal goal(Task task) {
    Goal goal = goals.get(task.id());
    Variant variant = variants.get(task.id());
    if (goal == null && variant == null) {
      throw unknownTask(task);
    }
    return goal == null ? variant.goal() : goal;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String fingerprint() {
    return fingerprint;
  }

  @Override
  public String rewardFingerprint() {
    return CanonicalJson.of("webshop rewards", 2)
        .with("tagger", tagger.fingerprint())
        .with("weights", config.reward().canonical().text())
        .fingerprint();
  }

  @Override
  public List<Task> tasks(Split which) {
    return which == Split.TRAIN ? trainTasks : originals.get(which);
  }

  @Override
  public List<Task> originals(Split which) {
    return originals.get(which);
  }

  @Override
  public boolean deterministic() {
    return true;
  }

  @Override
  public WebShopEpisode start(Task task) {
    Variant variant = variants.get(task.id());
    return variant == null
        ? startIn(shop(), task, goal(task), Rewording.NONE)
        : variations().start(variant, config.training());
  }

  /** An episode in a shop that may differ from {@link #shop}, in words that may too. */
  WebShopEpisode startIn(WebShop other, Task task, Goal goal, Rewording words) {
    return new WebShopEpisode(
        other.session(goal, task.id(), config.shop().original()), dialogue, config.reward(), words);
  }

  public Dialogue dialogue() {
    return dialogue;
  }

  @Override
  public AnswerFormat answerFormat() {
    return dialogue.answerFormat();
  }

  @Override
  public List<String> audit(Split heldOut) {
    List<String> lines =
        new ArrayList<>(split.audit(heldOut).lines(config.goals().split().words(), heldOut));
    lines.add(split.wording(heldOut).line(heldOut));
    return lines;
  }

  @Override
  public int maxTurns() {
    return config.shop().maxTurns();
  }

  /** None if words vary in training: then no list has all that can be chosen. */
  @Override
  public ActionGrammar actionGrammar() {
    return config.training().rewords()
        ? new ActionGrammar(List.of())
        : dialogue.actionGrammar(data.items());
  }

  /** Lines whose words have a meaning of their own, whatever the product, and names of options. */
  List<String> keptWords() {
    List<String> kept = new ArrayList<>(ownWords());
    data.items().forEach(item -> kept.addAll(item.options().keySet()));
    return kept;
  }

  /** Lines whose words have a meaning of their own, whatever the product. */
  List<String> ownWords() {
    List<String> kept = new ArrayList<>(dialogue.phrases());
    IntStream.rangeClosed(0, Math.max(config.shop().maxTurns(), Session.PER_PAGE))
        .forEach(number -> kept.add(Integer.toString(number)));
    kept.addAll(
        List.of(
            "find me with for and price lower than dollars best wrong", NoisyShopper.OPTION_CHECK));
    kept.addAll(lexicon().attributes());
    // Marks of an answer that was cut off.
    kept.add(AnswerFormat.unparsed(answerFormat().write(new Answer("", ""), true)).action());
    return kept;
  }

  /** What the options of all products can be. */
  List<String> optionValues() {
    return data.items().stream()
        .flatMap(item -> item.options().values().stream())
        .flatMap(List::stream)
        .toList();
  }

  /** What anyone can look up in the shop, and train instructions; no held-out instruction. */
  @Override
  public List<String> vocabularyText() {
    return dialogue.vocabularyText(data.items(), split.train());
  }
}
