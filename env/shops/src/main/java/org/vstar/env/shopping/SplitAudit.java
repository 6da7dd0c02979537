package org.vstar.env.shopping;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.vstar.env.Split;

/**
 * How much a held-out split has in common with what is trained on.
 *
 * @param goals held-out goals
 * @param sameGoal those whose instruction, product and options are also trained on
 * @param sameProductAndOptions those whose product with the same options is
 * @param sameProduct those whose product is
 * @param products how many products the held-out goals have
 * @param maxPerProduct held-out goals of the most frequent product
 */
public record SplitAudit(
    int goals,
    int sameGoal,
    int sameProductAndOptions,
    int sameProduct,
    int products,
    int maxPerProduct) {

  /**
   * What a task wants.
   *
   * @param options empty where there are none to choose
   */
  public record Wanted(String product, String options, String instruction) {}

  /** Counts what a held-out split shares with the train tasks. */
  public static SplitAudit of(Collection<Wanted> train, Collection<Wanted> heldOut) {
    Set<Wanted> trained = new HashSet<>(train);
    Set<Wanted> choices = new HashSet<>();
    Set<String> products = new HashSet<>();
    for (Wanted wanted : train) {
      choices.add(choice(wanted));
      products.add(wanted.product);
    }
    Map<String, Integer> perProduct = new HashMap<>();
    heldOut.forEach(w -> perProduct.merge(w.product, 1, Integer::sum));
    return new SplitAudit(
        heldOut.size(),
        (int) heldOut.stream().filter(trained::contains).count(),
        (int) heldOut.stream().filter(w -> choices.contains(choice(w))).count(),
        (int) heldOut.stream().filter(w -> products.contains(w.product)).count(),
        perProduct.size(),
        perProduct.values().stream().mapToInt(Integer::intValue).max().orElse(0));
  }

  private static Wanted choice(Wanted wanted) {
    return new Wanted(wanted.product, wanted.options, "");
  }

  /**
   * As reports say it.
   *
   * @param rule how tasks are split, as configs name it
   * @param heldOut which split this is of
   */
  public List<String> lines(String rule, Split heldOut) {
    return List.of(
        String.format(
            Locale.ROOT,
            "Split %s: %d %s goals of %d products, at most %d of one product.",
            rule,
            goals,
            heldOut.word(),
            products,
            maxPerProduct),
        String.format(
            Locale.ROOT,
            "Of the %s goals, %d are also trained on, %d have product and options in common with a"
                + " goal that is, %d the product.",
            heldOut.word(),
            sameGoal,
            sameProductAndOptions,
            sameProduct));
  }
}
