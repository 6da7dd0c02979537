package org.vstar.env.webshop;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Seeds;
import org.vstar.env.Task;
import org.vstar.env.webshop.agent.JoinedValues;
import org.vstar.env.webshop.agent.MadeUpValues;
import org.vstar.env.webshop.agent.OptionAugmentation;
import org.vstar.env.webshop.agent.RepeatedWords;
import org.vstar.env.webshop.agent.WordSubstitution;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.dialogue.Rewording;
import org.vstar.env.webshop.dialogue.WebShopEpisode;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.simulator.WebShop;

/**
 * Variations of train tasks: other words, prices and options, so that none is learned by heart. A
 * variation has a task of its own, and all episodes of that task are in the same words.
 */
final class Variations {

  /** How often a variation is drawn anew whose prompt there is already. */
  private static final int DRAWS = 16;

  private final WebShopEnvironment shop;
  private final WordSubstitution words;
  private final WordSubstitution wordsAndNames;
  private final RepeatedWords repeated;
  private final JoinedValues joined;
  private final MadeUpValues madeUp;

  Variations(WebShopEnvironment shop) {
    this.shop = shop;
    List<String> kept = shop.keptWords();
    this.words = new WordSubstitution(shop.vocabularyText(), kept);
    this.wordsAndNames = new WordSubstitution(shop.vocabularyText(), shop.ownWords());
    List<String> values = shop.optionValues();
    this.repeated = new RepeatedWords(values, kept);
    this.joined = new JoinedValues(values, kept);
    this.madeUp = new MadeUpValues(values, kept);
  }

  /**
   * A variation of a task.
   *
   * @param task its own: prompt and id differ from the original's
   * @param goal what both want
   * @param seed what its words, prices and options are drawn from
   */
  record Variant(Task task, Goal goal, long seed) implements Serializable {}

  /**
   * The variations of one task, no two with the same prompt; fewer where so many draws do not give
   * enough different prompts.
   *
   * @param seed the run's
   */
  List<Variant> of(Task original, TrainVariation variation, long seed) {
    List<Variant> variants = new ArrayList<>();
    Set<String> prompts = new HashSet<>();
    for (int i = 0; i < variation.variants(); i++) {
      for (int draw = 0; draw < DRAWS; draw++) {
        Variant variant = draw(original, variation, seed, i, draw);
        if (prompts.add(variant.task.prompt())) {
          variants.add(variant);
          break;
        }
      }
    }
    return variants;
  }

  private Variant draw(Task original, TrainVariation variation, long seed, int number, int draw) {
    long own = Seeds.derive(seed, "variation of a task", original.id(), number, draw);
    String id =
        CanonicalJson.of("webshop variation", 1)
            .with("task", original.id())
            .with("training", variation.canonical())
            .with("seed", own)
            .fingerprint();
    Goal goal = shop.goal(original);
    String prompt = rewording(goal, variation, own).substituted(original.prompt());
    Task task =
        new Task(
            id,
            original.environment(),
            original.split(),
            prompt,
            original.category(),
            original.cluster());
    return new Variant(task, goal, own);
  }

  /** An episode on a variation. */
  WebShopEpisode start(Variant variant, TrainVariation variation) {
    UnaryOperator<Item> items =
        otherItems(variation, Seeds.random(variant.seed, "options of a variation"));
    WebShop own = variation.sameItems() ? shop.shop() : shop.shop().withItems(items);
    return shop.startIn(
        own, variant.task, variant.goal, rewording(variant.goal, variation, variant.seed));
  }

  private Rewording rewording(Goal goal, TrainVariation variation, long seed) {
    return draw(goal, variation, Seeds.random(seed, "words of a variation"));
  }

  /** An episode on a task as it is, but for the options of the products. */
  WebShopEpisode withOtherOptions(Task task, TrainVariation variation, SplittableRandom random) {
    UnaryOperator<Item> items = otherItems(variation, random);
    WebShop own = variation.sameItems() ? shop.shop() : shop.shop().withItems(items);
    return shop.startIn(own, task, shop.goal(task), Rewording.NONE);
  }

  private static UnaryOperator<Item> otherItems(TrainVariation variation, SplittableRandom random) {
    return variation.droppedValues() > 0
        ? new OptionAugmentation(random.nextLong(), variation.droppedValues())
        : UnaryOperator.identity();
  }

  /** Other words for an episode: values may become others, and then all words. */
  Rewording draw(Goal goal, TrainVariation variation, SplittableRandom random) {
    Rewording others = otherValues(goal, variation, random);
    if (random.nextDouble() >= variation.wordSubstitution()) {
      return others;
    }
    boolean names = random.nextDouble() < variation.optionNames();
    WordSubstitution substitution = names ? wordsAndNames : words;
    return others.then(substitution.draw(random, variation.rareWords(), variation.raisedPrices()));
  }

  /** Values that are hard to copy or to tell apart, of one kind at most. */
  private Rewording otherValues(Goal goal, TrainVariation variation, SplittableRandom random) {
    if (random.nextDouble() < variation.repeatedWords()) {
      return repeated.draw(goal.options(), random);
    } else if (random.nextDouble() < variation.joinedValues()) {
      return joined.draw(goal.options(), goal.item().options(), random);
    } else if (random.nextDouble() < variation.madeUpValues()) {
      return madeUp.draw(goal.options(), goal.item().options(), random);
    }
    return Rewording.NONE;
  }
}
