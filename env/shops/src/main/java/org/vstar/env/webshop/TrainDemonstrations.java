package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vstar.common.Lazy;
import org.vstar.common.Seeds;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.agent.CarefulShopper;
import org.vstar.env.webshop.agent.FirstDifference;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.agent.SlippingShopper;
import org.vstar.env.webshop.agent.TranslatedAgent;
import org.vstar.env.webshop.dialogue.Rewording;
import org.vstar.env.webshop.dialogue.WebShopEpisode;

/** Episodes of scripted shoppers on train goals, in other words and with other options. */
final class TrainDemonstrations implements DemonstrationSource {

  private static final long serialVersionUID = 1L;

  private final WebShopEnvironment shop;
  private final Demonstrator demonstrator;
  private final Lazy<Variations> variations = new Lazy<>();

  TrainDemonstrations(WebShopEnvironment shop, Demonstrator demonstrator) {
    this.shop = shop;
    this.demonstrator = demonstrator;
  }

  private List<Turn> play(Task task, SplittableRandom random) {
    // The order of the draws is part of what a seed gives: who plays, its errors, then the options.
    boolean noisy = random.nextDouble() >= demonstrator.careful();
    TranslatedAgent erring =
        noisy ? NoisyShopper.draw(demonstrator.errors(), shop.maxTurns(), random) : null;
    WebShopEpisode episode = variations().withOtherOptions(task, demonstrator.variation(), random);
    if (noisy) {
      return erring.playEpisode(episode, shop.maxTurns(), random.nextLong());
    }
    SlippingShopper careful =
        new SlippingShopper(
            new CarefulShopper(shop::lexicon, shop.maxTurns(), demonstrator.featuresUpTo()),
            shop::lexicon,
            shop.answerFormat(),
            demonstrator.slips(),
            shop.maxTurns());
    return careful.marked(
        new TranslatedAgent(careful).playEpisode(episode, shop.maxTurns(), random.nextLong()));
  }

  private Variations variations() {
    return variations.get(() -> new Variations(shop));
  }

  @Override
  public List<List<Turn>> batch(long seed, int episodes) {
    SplittableRandom random = Seeds.random(seed, "demonstrations");
    List<Task> tasks = shop.originals(Split.TRAIN);
    List<List<Turn>> played = new ArrayList<>();
    for (int i = 0; i < episodes; i++) {
      Task task = tasks.get(random.nextInt(tasks.size()));
      List<Turn> turns = play(task, random);
      Rewording words = variations().draw(shop.goal(task), demonstrator.variation(), random);
      played.add(FirstDifference.of(words.substituted(turns)));
    }
    return played;
  }
}
