package org.vstar.env.webshoplite;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;

/**
 * Demonstrations from shuffled catalogues: each batch has ids and titles of its own, so that
 * imitation can only learn to read the page. Titles of held-out targets of the true catalogue are
 * never wanted.
 */
final class NoisyDemonstrations implements DemonstrationSource {

  private static final long serialVersionUID = 1L;

  private final WebShopLiteEnvironment shop;
  private final NoisyShopper.ErrorRates rates;
  private final Set<String> heldOut = new HashSet<>();

  NoisyDemonstrations(WebShopLiteEnvironment shop, NoisyShopper.ErrorRates rates) {
    this.shop = shop;
    this.rates = rates;
    for (Split split : List.of(Split.VALIDATION, Split.TEST)) {
      shop.tasks(split).forEach(t -> heldOut.add(shop.target(t).title()));
    }
    requireShufflable(shop.catalogue());
  }

  /** Titles can change places only if each is a first word and a kind of one category. */
  private static void requireShufflable(Catalogue catalogue) {
    Map<String, String> categories = new HashMap<>();
    for (Item product : catalogue.products()) {
      int space = product.title().indexOf(' ');
      String kind = product.title().substring(space + 1);
      String category = categories.putIfAbsent(kind, product.category());
      if (space < 0 || (category != null && !category.equals(product.category()))) {
        throw new InvalidInputException(
            "catalogue: demonstrations need titles of two words or more whose kind is in one category,"
                + " but there is '"
                + product.title()
                + "' in "
                + product.category());
      }
    }
  }

  @Override
  public List<List<Turn>> batch(long seed, int episodes) {
    SplittableRandom random = Seeds.random(seed, "demonstrations");
    WebShopLiteEnvironment shuffled = shop.shuffled(random.nextLong());
    List<Task> tasks = shuffled.tasks(Split.TRAIN);
    NoisyShopper demonstrator = new NoisyShopper(rates);
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
