package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vstar.common.Lazy;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.agent.CarefulShopper;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.agent.ShopLexicon;
import org.vstar.env.webshop.agent.TranslatedAgent;
import org.vstar.env.webshop.dialogue.WebShopEpisode;

/** Episodes of scripted shoppers on train goals, in other words and with other options. */
final class TrainDemonstrations implements DemonstrationSource {

  private static final long serialVersionUID = 1L;

  private final WebShopEnvironment shop;
  private final Demonstrator demonstrator;
  private final Lazy<Variations> variations = new Lazy<>();
  private final Lazy<ShopLexicon> lexicon = new Lazy<>();

  TrainDemonstrations(WebShopEnvironment shop, Demonstrator demonstrator) {
    this.shop = shop;
    this.demonstrator = demonstrator;
  }

  private TranslatedAgent shopper(SplittableRandom random) {
    if (random.nextDouble() >= demonstrator.careful()) {
      return NoisyShopper.draw(demonstrator.errors(), shop.maxTurns(), random);
    }
    return new TranslatedAgent(
        new CarefulShopper(
            lexicon.get(shop::lexicon), shop.maxTurns(), demonstrator.readsFeatures()));
  }

  @Override
  public List<List<Turn>> batch(long seed, int episodes) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Task> tasks = shop.tasks(Split.TRAIN);
    Variations other = variations.get(() -> new Variations(shop));
    TrainVariation variation = demonstrator.variation();
    List<List<Turn>> played = new ArrayList<>();
    for (int i = 0; i < episodes; i++) {
      Task task = tasks.get(random.nextInt(tasks.size()));
      TranslatedAgent shopper = shopper(random);
      WebShopEpisode episode = other.withOtherOptions(task, variation, random);
      List<Turn> turns = shopper.playEpisode(episode, shop.maxTurns(), random.nextLong());
      boolean substituted = random.nextDouble() < variation.wordSubstitution();
      played.add(substituted ? other.words().draw(random).substituted(turns) : turns);
    }
    return played;
  }
}
