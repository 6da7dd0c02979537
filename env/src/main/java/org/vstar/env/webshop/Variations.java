package org.vstar.env.webshop;

import java.util.SplittableRandom;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Task;
import org.vstar.env.webshop.agent.OptionAugmentation;
import org.vstar.env.webshop.agent.WordSubstitution;
import org.vstar.env.webshop.dialogue.WebShopEpisode;

/**
 * Episodes on train tasks whose words, prices and options vary, so that none is learned by heart.
 */
final class Variations {

  private final WebShopEnvironment shop;
  private final WordSubstitution words;

  Variations(WebShopEnvironment shop) {
    this.shop = shop;
    this.words = new WordSubstitution(shop.vocabularyText(), shop.keptWords());
  }

  /** The words that replace one another. */
  WordSubstitution words() {
    return words;
  }

  /** An episode whose products have other options. */
  WebShopEpisode withOtherOptions(Task task, TrainVariation variation, SplittableRandom random) {
    if (variation.droppedValues() == 0) {
      return shop.start(task);
    }
    OptionAugmentation other = new OptionAugmentation(random.nextLong(), variation.droppedValues());
    return shop.startIn(shop.shop().withItems(other), task);
  }

  /** An episode that varies. */
  Episode start(Task task, TrainVariation variation, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    WebShopEpisode episode = withOtherOptions(task, variation, random);
    return random.nextDouble() < variation.wordSubstitution()
        ? new Reworded(episode, words.draw(random))
        : episode;
  }

  /** An episode whose agent reads and writes other words. */
  private record Reworded(WebShopEpisode episode, WordSubstitution.Drawn words) implements Episode {
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
