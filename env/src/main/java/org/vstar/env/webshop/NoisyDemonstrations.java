package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vstar.common.Lazy;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.agent.OptionAugmentation;
import org.vstar.env.webshop.agent.TranslatedAgent;
import org.vstar.env.webshop.agent.WordSubstitution;
import org.vstar.env.webshop.dialogue.WebShopEpisode;

/**
 * Episodes of noisy shoppers on train goals. They are augmented: words and numbers are substituted,
 * option values shuffled or dropped, so that a model learns to copy and to look up instead of
 * memorising products.
 */
final class NoisyDemonstrations implements DemonstrationSource {

  private static final long serialVersionUID = 1L;

  private final WebShopEnvironment shop;
  private final NoisyShopper.ErrorRates rates;
  private final Lazy<WordSubstitution> substitution = new Lazy<>();

  NoisyDemonstrations(WebShopEnvironment shop, NoisyShopper.ErrorRates rates) {
    this.shop = shop;
    this.rates = rates;
  }

  private WordSubstitution words() {
    return substitution.get(() -> new WordSubstitution(shop.vocabularyText(), shop.keptWords()));
  }

  private WebShopEpisode start(Task task, SplittableRandom random) {
    if (rates.droppedValues() == 0) {
      return shop.start(task);
    }
    OptionAugmentation other = new OptionAugmentation(random.nextLong(), rates.droppedValues());
    return shop.startIn(shop.shop().withItems(other), task);
  }

  @Override
  public List<List<Turn>> batch(long seed, int episodes) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Task> tasks = shop.tasks(Split.TRAIN);
    List<List<Turn>> played = new ArrayList<>();
    for (int i = 0; i < episodes; i++) {
      Task task = tasks.get(random.nextInt(tasks.size()));
      TranslatedAgent shopper = NoisyShopper.draw(rates, shop.maxTurns(), random);
      WebShopEpisode episode = start(task, random);
      List<Turn> turns = shopper.playEpisode(episode, shop.maxTurns(), random.nextLong());
      boolean substituted = random.nextDouble() < rates.wordSubstitution();
      played.add(substituted ? words().substituted(turns, random) : turns);
    }
    return played;
  }
}
