package org.vstar.env.webshop.goal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.catalog.WebShopData;

/**
 * Goals for products that have no instruction, to train on: the manner of the published
 * instructions, with what the catalogue says of the product. They widen what is trained on from the
 * products with an instruction to most of the shop.
 */
public final class MadeUpGoals {

  /** Where an instruction names an attribute. */
  private enum Place {
    BEFORE,
    WITH,
    FOR
  }

  private MadeUpGoals() {}

  /**
   * Makes goals up. A product gets some if its list of attributes has one that a train instruction
   * asks for too; such attributes stand where train instructions have them.
   *
   * @param split its train goals are what the manner is learned from; its held-out products get
   *     none
   * @param random draws price bounds
   * @return the goals of every combination of options, in the order of the products
   */
  public static List<Goal> of(WebShopData data, GoalSplit split, PythonRandom random) {
    Map<String, Place> places = new HashMap<>();
    split
        .train()
        .forEach(
            goal ->
                goal.attributes()
                    .forEach(a -> places.putIfAbsent(a, place(goal.instruction(), a))));
    Set<String> heldOut =
        Stream.concat(split.validation().stream(), split.test().stream())
            .map(goal -> goal.item().asin())
            .collect(Collectors.toSet());
    List<Goal> goals = new ArrayList<>();
    for (Item item : data.items()) {
      List<String> wanted =
          item.attributes().stream()
              .filter(a -> places.containsKey(a) && !item.query().contains(a))
              .toList();
      boolean free = item.instruction() == null && !heldOut.contains(item.asin());
      if (free && !wanted.isEmpty() && !item.query().isEmpty()) {
        Item asked = item.withInstruction(instruction(item, wanted, places), wanted);
        goals.addAll(Goals.ofEveryOption(asked, data.price(item), random));
      }
    }
    return Goals.weighted(goals);
  }

  private static Place place(String instruction, String attribute) {
    int at = instruction.indexOf(attribute);
    int with = instruction.indexOf(Instruction.WITH);
    int purpose = instruction.indexOf(Instruction.FOR);
    if (purpose >= 0 && purpose < at) {
      return Place.FOR;
    }
    return with >= 0 && with < at ? Place.WITH : Place.BEFORE;
  }

  private static String instruction(Item item, List<String> wanted, Map<String, Place> places) {
    Map<Place, String> parts =
        wanted.stream().collect(Collectors.groupingBy(places::get, Collectors.joining(", ")));
    StringBuilder text = new StringBuilder(Instruction.BEGIN);
    if (parts.containsKey(Place.BEFORE)) {
      text.append(parts.get(Place.BEFORE)).append(' ');
    }
    text.append(item.query());
    if (parts.containsKey(Place.WITH)) {
      text.append(Instruction.WITH).append(parts.get(Place.WITH));
    }
    if (parts.containsKey(Place.FOR)) {
      text.append(Instruction.FOR).append(parts.get(Place.FOR));
    }
    return text.toString();
  }
}
