package org.vstar.env.webshop.goal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.vstar.common.InvalidInputException;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.catalog.WebShopData;

/** WebShop's goals, in the order of the products; shuffling is the caller's. */
public final class Goals {

  private static final int CANDIDATES = 4;
  private static final int PRICES = 100;
  private static final double STEP = 10;

  private Goals() {}

  /** Draws what a product may cost. */
  private static double bound(double price, PythonRandom random) {
    List<Double> candidates = new ArrayList<>();
    for (int i = 1; i < PRICES && candidates.size() < CANDIDATES; i++) {
      if (STEP * i > price) {
        candidates.add(STEP * i);
      }
    }
    if (candidates.size() < 2) {
      return Instruction.UNBOUNDED;
    }
    return Collections.max(random.sample(candidates, 2));
  }

  /** One goal for each combination of options of each product with an instruction. */
  public static List<Goal> synthetic(WebShopData data, PythonRandom random) {
    List<Goal> goals = new ArrayList<>();
    for (Item item : data.products().withInstruction()) {
      if (item.instructionAttributes().isEmpty()) {
        throw new InvalidInputException(
            "product "
                + item.asin()
                + " has an instruction but no instruction_attributes in the attributes file:"
                + " add them, or take the instruction away");
      }
      goals.addAll(ofEveryOption(item, data.price(item), random));
    }
    return weighted(goals);
  }

  /** The goals of one product, one for each combination of options; they weigh 1. */
  static List<Goal> ofEveryOption(Item item, double price, PythonRandom random) {
    List<Goal> goals = new ArrayList<>();
    double bound = bound(price, random);
    for (Map<String, String> options : combinations(new TreeMap<>(item.options()))) {
      String text = Instruction.withOptions(item.instruction(), options);
      goals.add(
          new Goal(
              item,
              Instruction.withPrice(text, bound),
              item.instructionAttributes(),
              bound,
              options,
              List.of(),
              1));
    }
    return goals;
  }

  /** How many synthetic goals a product has. */
  public static long countSynthetic(Item item) {
    long goals = item.instruction() == null ? 0 : 1;
    for (List<String> values : item.options().values()) {
      goals *= values.size();
    }
    return goals;
  }

  /** How many goals people wrote for a product. */
  public static long countHuman(Item item) {
    return item.human().stream().filter(human -> !human.attributes().isEmpty()).count();
  }

  /** The cartesian product; the last group varies fastest. */
  private static List<Map<String, String>> combinations(Map<String, List<String>> groups) {
    List<Map<String, String>> all = List.of(Map.of());
    for (var group : groups.entrySet()) {
      List<Map<String, String>> longer = new ArrayList<>();
      for (Map<String, String> start : all) {
        for (String value : group.getValue()) {
          Map<String, String> combination = new LinkedHashMap<>(start);
          combination.put(group.getKey(), value);
          longer.add(combination);
        }
      }
      all = longer;
    }
    return all;
  }

  /** Rare attributes weigh more: the mean over a goal's attributes of 1 / goals that have it. */
  static List<Goal> weighted(List<Goal> goals) {
    Map<String, Integer> counts = new HashMap<>();
    goals.forEach(g -> g.attributes().forEach(a -> counts.merge(a, 1, Integer::sum)));
    List<Goal> weighted = new ArrayList<>();
    for (Goal g : goals) {
      double sum = 0;
      for (String attribute : g.attributes()) {
        sum += 1.0 / counts.get(attribute);
      }
      weighted.add(g.withWeight(sum / g.attributes().size()));
    }
    return weighted;
  }

  /** The goals that people wrote. */
  public static List<Goal> human(WebShopData data, PythonRandom random) {
    List<Goal> goals = new ArrayList<>();
    for (Item item : data.products().withHumanInstruction()) {
      for (Item.HumanInstruction human : item.human()) {
        if (human.attributes().isEmpty()) {
          continue;
        }
        double bound = bound(data.price(item), random);
        String text = human.text().replaceAll("\\A\\.+|\\.+\\z", "");
        goals.add(
            new Goal(
                item,
                Instruction.withPrice(text, bound),
                human.attributes(),
                bound,
                Map.of(),
                human.options(),
                1));
      }
    }
    return goals;
  }
}
