package org.vstar.env.webshoplite;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;
import org.vstar.env.ActionGrammar;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.shopping.SplitAudit;

/**
 * The small shop. There is one task per product: buy it, given its title.
 *
 * <p>The split is by content: products are ordered by the hash of their title, and the first {@code
 * testTargets} of them are the test targets, the next {@code validationTargets} those of
 * validation. It does not depend on ids.
 */
public final class WebShopLiteEnvironment implements Environment {

  /** The environment's name in configs and tables. */
  public static final String NAME = "webshop-lite";

  private static final long serialVersionUID = 1L;
  private static final int RULES = 2;
  private static final int MAX_KEYWORDS = 6;

  private final Catalogue catalogue;
  private final Rewards rewards;
  private final int maxTurns;
  private final Lazy<String> fingerprint = new Lazy<>();
  private final Map<Split, List<Task>> tasks = new EnumMap<>(Split.class);
  private final Map<String, Item> targets = new HashMap<>();

  /**
   * Opens the shop.
   *
   * @param testTargets how many products are held out as test targets
   * @param validationTargets how many more as validation targets
   */
  public WebShopLiteEnvironment(
      Catalogue catalogue, Rewards rewards, int testTargets, int validationTargets, int maxTurns) {
    int products = catalogue.products().size();
    InvalidInputException.require(
        testTargets > 0 && testTargets < products,
        "testTargets",
        testTargets,
        "1 to " + (products - 1));
    InvalidInputException.require(
        validationTargets > 0 && testTargets + validationTargets < products,
        "validationTargets",
        validationTargets,
        "1 to " + (products - testTargets - 1) + ", which leaves targets to train on");
    InvalidInputException.require(maxTurns > 0, "maxTurns", maxTurns, "at least 1");
    this.catalogue = catalogue;
    this.rewards = rewards;
    this.maxTurns = maxTurns;
    List<Item> byHash =
        ContentHash.order(catalogue.products(), p -> new ContentHash().add(p.title()));
    int heldOut = testTargets + validationTargets;
    tasks.put(Split.TEST, tasks(byHash.subList(0, testTargets), Split.TEST));
    tasks.put(Split.VALIDATION, tasks(byHash.subList(testTargets, heldOut), Split.VALIDATION));
    tasks.put(Split.TRAIN, tasks(byHash.subList(heldOut, products), Split.TRAIN));
  }

  private List<Task> tasks(List<Item> products, Split split) {
    List<Task> made = new ArrayList<>();
    for (Item target : products) {
      String prompt = WebShopLitePage.prompt(target, catalogue);
      String id = new ContentHash().add(NAME).add(prompt).add(target.title()).hex();
      made.add(new Task(id, NAME, split, prompt, target.category(), id));
      targets.put(id, target);
    }
    return List.copyOf(made);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String fingerprint() {
    return fingerprint.get(
        () ->
            CanonicalJson.of(NAME, RULES)
                .with("catalogue", catalogue.fingerprint())
                .with("testTargets", tasks(Split.TEST).size())
                .with("validationTargets", tasks(Split.VALIDATION).size())
                .with("maxTurns", maxTurns)
                .fingerprint());
  }

  @Override
  public String rewardFingerprint() {
    return rewards.fingerprint();
  }

  @Override
  public List<Task> tasks(Split split) {
    return tasks.get(split);
  }

  @Override
  public boolean deterministic() {
    return true;
  }

  @Override
  public Episode start(Task task) {
    return new WebShopLiteEpisode(this, task.prompt(), target(task));
  }

  @Override
  public int maxTurns() {
    return maxTurns;
  }

  @Override
  public ActionGrammar actionGrammar() {
    List<String> ids =
        IntStream.range(0, catalogue.products().size()).mapToObj(Integer::toString).toList();
    Set<String> words = new LinkedHashSet<>();
    catalogue
        .products()
        .forEach(p -> words.addAll(List.of(p.title().toLowerCase(Locale.ROOT).split(" "))));
    return new ActionGrammar(
        List.of(
            new ActionGrammar.Form(
                "search", new ActionGrammar.Words(words.stream().sorted().toList(), MAX_KEYWORDS)),
            new ActionGrammar.Form("click", new ActionGrammar.OneOf(ids)),
            new ActionGrammar.Form("buy", new ActionGrammar.OneOf(ids))));
  }

  /** Every page and the prompts of train tasks: no held-out prompt. */
  @Override
  public List<String> vocabularyText() {
    List<String> text = new ArrayList<>(WebShopLitePage.phrases());
    tasks(Split.TRAIN).forEach(task -> text.add(task.prompt()));
    for (Item product : catalogue.products()) {
      text.add(WebShopLitePage.item(product));
      text.add(WebShopLitePage.bought(product));
      text.add(Integer.toString(product.id()));
    }
    text.add(Integer.toString(catalogue.products().size()));
    return text;
  }

  @Override
  public List<String> audit(Split heldOut) {
    return SplitAudit.of(wanted(Split.TRAIN), wanted(heldOut)).lines("content", heldOut);
  }

  private List<SplitAudit.Wanted> wanted(Split split) {
    return tasks(split).stream()
        .map(t -> new SplitAudit.Wanted(target(t).title(), "", t.prompt()))
        .toList();
  }

  /** The product that a task wants. */
  Item target(Task task) {
    Item target = targets.get(task.id());
    if (target == null) {
      throw unknownTask(task);
    }
    return target;
  }

  Catalogue catalogue() {
    return catalogue;
  }

  Rewards rewards() {
    return rewards;
  }

  /** The same rules over {@link Catalogue#shuffled a shuffled catalogue}. */
  WebShopLiteEnvironment shuffled(long seed) {
    return new WebShopLiteEnvironment(
        catalogue.shuffled(seed),
        rewards,
        tasks(Split.TEST).size(),
        tasks(Split.VALIDATION).size(),
        maxTurns);
  }
}
