package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.vstar.env.ActionGrammar;
import org.vstar.env.ContentHash;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.InputError;
import org.vstar.env.Split;
import org.vstar.env.Task;

/** WebShop as an environment: one task per goal, observations as WebShop's own text. */
public final class WebShopEnvironment implements Environment {

  /** The environment's name in configs and tables. */
  public static final String NAME = "webshop";

  private static final long serialVersionUID = 1L;
  private static final String RULES = "webshop/1";
  private static final int MOST_KEYWORDS = 40;

  private final List<Item> items;
  private final Map<String, Double> prices;
  private final NounTagger tagger;
  private final GoalSplit split;
  private final WebShopConfig config;
  private final String fingerprint;
  private final Map<Split, List<Task>> tasks = new HashMap<>();
  private final Map<String, Goal> goals = new HashMap<>();

  /** Each process indexes the products once. */
  private transient volatile WebShop shop;

  /** Takes products and goals that have been read and split. */
  WebShopEnvironment(WebShopData data, NounTagger tagger, GoalSplit split, WebShopConfig config) {
    this.items = data.items();
    this.prices = data.prices();
    this.tagger = tagger;
    this.split = split;
    this.config = config;
    ContentHash hash = new ContentHash().add(RULES).add(config.settings());
    items.forEach(i -> hash.add(i.toString()).add(Double.toString(prices.get(i.asin()))));
    tasks.put(Split.TRAIN, tasks(split.train(), Split.TRAIN, hash));
    tasks.put(Split.TEST, tasks(split.test(), Split.TEST, hash));
    this.fingerprint = hash.hex();
  }

  private List<Task> tasks(List<Goal> some, Split half, ContentHash all) {
    List<Task> made = new ArrayList<>();
    for (Goal goal : some) {
      // A few goals are there twice, word for word: each is a task of its own.
      int copy = 0;
      while (goals.containsKey(id(goal, copy))) {
        copy++;
      }
      String id = id(goal, copy);
      goals.put(id, goal);
      String prompt = Session.firstPage(goal.instruction()).text();
      made.add(new Task(id, NAME, half, prompt, goal.item().category()));
      all.add(id);
    }
    return List.copyOf(made);
  }

  private static String id(Goal goal, int copy) {
    return new ContentHash()
        .add(NAME)
        .add(goal.instruction())
        .add(goal.item().asin())
        .add(goal.options().toString())
        .add(copy)
        .hex();
  }

  /** The shop itself, indexed on first use. */
  public WebShop shop() {
    WebShop open = shop;
    if (open == null) {
      synchronized (tasks) {
        open = shop;
        if (open == null) {
          open = new WebShop(new WebShopData(items, prices), tagger);
          shop = open;
        }
      }
    }
    return open;
  }

  /** Which goals are in which half. */
  public GoalSplit split() {
    return split;
  }

  /**
   * What a task wants.
   *
   * @throws InputError if the task is not one of this environment's
   */
  public Goal goal(Task task) {
    Goal goal = goals.get(task.id());
    if (goal == null) {
      throw foreign(task);
    }
    return goal;
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
    return new ContentHash()
        .add(RULES)
        .add(tagger.fingerprint())
        .add(Double.toString(config.invalidAction()))
        .hex();
  }

  @Override
  public List<Task> tasks(Split half) {
    return tasks.get(half);
  }

  @Override
  public Episode start(Task task) {
    return new WebShopEpisode(
        shop().session(goal(task), task.id(), config.original()),
        config.original(),
        config.invalidAction());
  }

  @Override
  public int maxTurns() {
    return config.maxTurns();
  }

  /** Searches by the words of goals and titles, and clicks on whatever any page has. */
  @Override
  public ActionGrammar actions() {
    Set<String> words = new TreeSet<>();
    Set<String> clicks = new LinkedHashSet<>(Session.buttons());
    for (Item item : items) {
      words.addAll(List.of(item.title().toLowerCase(java.util.Locale.ROOT).split(" ")));
      clicks.add(item.asin().toLowerCase(java.util.Locale.ROOT));
      item.options().values().forEach(clicks::addAll);
    }
    // The brackets of an action would end inside such a word.
    words.removeIf(word -> word.isEmpty() || word.contains("[") || word.contains("]"));
    return new ActionGrammar(
        List.of(
            new ActionGrammar.Form(
                "search", new ActionGrammar.Words(List.copyOf(words), MOST_KEYWORDS)),
            new ActionGrammar.Form("click", new ActionGrammar.OneOf(List.copyOf(clicks)))));
  }

  @Override
  public List<String> text() {
    List<String> text = new ArrayList<>(Session.buttons());
    for (Item item : items) {
      text.add(item.asin());
      text.add(item.title());
      text.add(item.description());
      text.addAll(item.bullets());
      text.add("Price: " + item.priceText() + " Rating: N.A. Page 1 (Total results: 50)");
      item.options()
          .forEach(
              (group, values) -> {
                text.add(group);
                text.addAll(values);
              });
    }
    goals.values().forEach(goal -> text.add(goal.instruction()));
    return text;
  }
}
