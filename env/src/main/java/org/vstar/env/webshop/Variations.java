package org.vstar.env.webshop;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Task;
import org.vstar.env.webshop.agent.AlikeValues;
import org.vstar.env.webshop.agent.JoinedValues;
import org.vstar.env.webshop.agent.MadeUpValues;
import org.vstar.env.webshop.agent.OptionAugmentation;
import org.vstar.env.webshop.agent.RepeatedWords;
import org.vstar.env.webshop.agent.Rewording;
import org.vstar.env.webshop.agent.WordSubstitution;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.dialogue.WebShopEpisode;
import org.vstar.env.webshop.goal.Goal;

/**
 * Episodes on train tasks whose words, prices and options vary, so that none is learned by heart.
 */
final class Variations {

  private final WebShopEnvironment shop;
  private final WordSubstitution words;
  private final WordSubstitution wordsAndNames;
  private final RepeatedWords repeated;
  private final JoinedValues joined;
  private final MadeUpValues madeUp;
  private final List<String> values;

  Variations(WebShopEnvironment shop) {
    this.shop = shop;
    List<String> kept = shop.keptWords();
    this.words = new WordSubstitution(shop.vocabularyText(), kept);
    this.wordsAndNames = new WordSubstitution(shop.vocabularyText(), shop.ownWords());
    this.values = shop.optionValues();
    this.repeated = new RepeatedWords(values, kept);
    this.joined = new JoinedValues(values, kept);
    this.madeUp = new MadeUpValues(values, kept);
  }

  /** An episode whose products have other options. */
  WebShopEpisode withOtherOptions(Task task, TrainVariation variation, SplittableRandom random) {
    UnaryOperator<Item> other = UnaryOperator.identity();
    if (variation.droppedValues() > 0) {
      other = new OptionAugmentation(random.nextLong(), variation.droppedValues());
    }
    if (variation.alikeShare() > 0) {
      Map<String, String> wanted = shop.goal(task).options();
      AlikeValues alike =
          new AlikeValues(random.nextLong(), variation.alikeShare(), wanted, values);
      other = other.andThen(alike)::apply;
    }
    return variation.sameItems()
        ? shop.start(task)
        : shop.startIn(shop.shop().withItems(other), task);
  }

  /** Other words for an episode: values may become others, and then all words. */
  Rewording draw(Task task, TrainVariation variation, SplittableRandom random) {
    Rewording values = otherValues(task, variation, random);
    if (random.nextDouble() >= variation.wordSubstitution()) {
      return values;
    }
    boolean names = random.nextDouble() < variation.optionNamesShare();
    WordSubstitution substitution = names ? wordsAndNames : words;
    return values.then(substitution.draw(random, variation.rareShare(), variation.raisedShare()));
  }

  /** Values that are hard to copy or to tell apart, of one kind at most. */
  private Rewording otherValues(Task task, TrainVariation variation, SplittableRandom random) {
    Goal goal = shop.goal(task);
    if (random.nextDouble() < variation.repeatedWords()) {
      return repeated.draw(goal.options(), random);
    } else if (random.nextDouble() < variation.joinedShare()) {
      return joined.draw(goal.options(), goal.item().options(), random);
    } else if (random.nextDouble() < variation.madeUpShare()) {
      return madeUp.draw(goal.options(), goal.item().options(), random);
    }
    return Rewording.NONE;
  }

  /** An episode that varies. */
  Episode start(Task task, TrainVariation variation, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    WebShopEpisode episode = withOtherOptions(task, variation, random);
    Rewording rewording = draw(task, variation, random);
    return rewording == Rewording.NONE ? episode : new Reworded(episode, rewording);
  }

  /** An episode whose agent reads and writes other words. */
  private record Reworded(WebShopEpisode episode, Rewording words) implements Episode {
    @Override
    public String observation() {
      return words.substituted(episode.observation());
    }

    @Override
    public Outcome step(String action) {
      return episode.step(words.restored(action));
    }
  }
}
