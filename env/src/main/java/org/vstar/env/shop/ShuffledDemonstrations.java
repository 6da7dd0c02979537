package org.vstar.env.shop;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;

/**
 * Demonstrations from shuffled catalogues: each batch has ids and titles of its own, so that
 * imitation can only learn to read the page. Titles of test targets of the true catalogue are never
 * wanted.
 */
final class ShuffledDemonstrations implements DemonstrationSource {

  private static final long serialVersionUID = 1L;

  private final Shop shop;
  private final Demonstrator.Rates rates;
  private final Set<String> heldOut = new HashSet<>();

  ShuffledDemonstrations(Shop shop, Demonstrator.Rates rates) {
    this.shop = shop;
    this.rates = rates;
    shop.tasks(Split.TEST).forEach(t -> heldOut.add(shop.target(t).title()));
  }

  @Override
  public List<List<Turn>> batch(long seed, int episodes) {
    SplittableRandom random = new SplittableRandom(seed);
    Shop shuffled = shop.shuffled(random.nextLong());
    List<Task> tasks = shuffled.tasks(Split.TRAIN);
    Demonstrator demonstrator = new Demonstrator(rates);
    List<List<Turn>> played = new ArrayList<>();
    while (played.size() < episodes) {
      Task task = tasks.get(random.nextInt(tasks.size()));
      if (!heldOut.contains(shuffled.target(task).title())) {
        played.add(demonstrator.play(shuffled, task, random.nextLong()));
      }
    }
    return played;
  }
}
