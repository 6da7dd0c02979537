package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.vstar.env.Answer;
import org.vstar.env.webshop.agent.Shopper.Visit;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.Instruction;
import org.vstar.env.webshop.simulator.Label;
import org.vstar.env.webshop.simulator.WebShop;

/**
 * Scripted shoppers of WebShop. The informed scan and the oracle know more than pages show, the
 * others do not.
 */
public final class Shoppers {

  private static final List<Label> CLICKED_AT_RANDOM =
      List.of(Label.PREVIOUS, Label.NEXT, Label.DESCRIPTION, Label.FEATURES, Label.BUY);

  /** Three results pages. */
  private static final int LOOKED_THROUGH = 30;

  private Shoppers() {}

  private static Answer search(String words) {
    return new Answer("", "search[" + words + "]");
  }

  private static Answer click(String what) {
    return new Answer("", "click[" + what + "]");
  }

  /** Clicks on anything that is there; types words of the instruction where it can type. */
  public static TranslatedAgent random() {
    return new TranslatedAgent(
        (history, view, random) -> {
          if (view.isIndex()) {
            List<String> words = List.of(view.instruction().split(" "));
            int from = random.nextInt(words.size());
            int to = from + 1 + random.nextInt(Math.min(5, words.size() - from));
            return search(String.join(" ", words.subList(from, to)));
          }
          List<String> clickable = new ArrayList<>(List.of(Label.BACK_TO_SEARCH.clicked()));
          for (Label button : CLICKED_AT_RANDOM) {
            if (view.buttons().contains(button)) {
              clickable.add(button.clicked());
            }
          }
          clickable.addAll(view.isItem() ? view.choices() : view.products());
          return click(clickable.get(random.nextInt(clickable.size())).toLowerCase(Locale.ROOT));
        });
  }

  /**
   * Searches the instruction, opens the first product, chooses what the instruction names, buys.
   */
  public static TranslatedAgent rule(int maxTurns) {
    return new TranslatedAgent(ruleChoosing(maxTurns, ShopPage::mentioned));
  }

  /**
   * Searches the instruction, opens the first product, chooses, buys.
   *
   * @param wanted what is to be chosen on a product's page
   */
  static Shopper ruleChoosing(int maxTurns, Function<ShopPage, List<String>> wanted) {
    return (history, view, random) -> {
      if (view.isIndex()) {
        return search(view.instruction());
      } else if (view.isItem()) {
        boolean last = history.size() + 1 >= maxTurns;
        return last ? click(Label.BUY.clicked()) : chooseOrBuy(history, wanted.apply(view));
      }
      List<String> products = view.products();
      return click(products.isEmpty() ? Label.BACK_TO_SEARCH.clicked() : products.get(0));
    };
  }

  static Answer chooseOrBuy(List<Visit> history, Collection<String> wanted) {
    return nextChoice(history, wanted).map(Shoppers::click).orElse(click(Label.BUY.clicked()));
  }

  /** The first wanted value that has not been chosen on this product's page yet. */
  static Optional<String> nextChoice(List<Visit> history, Collection<String> wanted) {
    // What was chosen on another product's page does not count here.
    Set<String> taken = new HashSet<>();
    for (Visit turn : history) {
      if (!turn.page().isItem()) {
        taken.clear();
      }
      taken.add(turn.answer().action());
    }
    return wanted.stream().filter(value -> !taken.contains(click(value).action())).findFirst();
  }

  /**
   * Looks at products of the first results page, in order, until one has every option that the
   * instruction names, or the turns run short; then buys the best it has seen.
   */
  public static TranslatedAgent scan(int maxTurns) {
    return new TranslatedAgent(scanning(maxTurns));
  }

  static Shopper scanning(int maxTurns) {
    return (history, view, random) -> {
      if (view.isIndex()) {
        return search(view.instruction());
      }
      List<String> wanted = Instruction.values(view.instruction());
      Map<String, Integer> seen = seen(history, view, wanted);
      int left = maxTurns - history.size();
      int finish = wanted.size() + 1;
      if (view.isItem()) {
        String here = last(seen);
        boolean perfect = seen.get(here) == wanted.size();
        boolean best = here.equals(best(seen));
        // Another look costs going back, opening, and perhaps coming back to this one.
        boolean timeForMore = left >= 2 + 2 + finish;
        boolean settled =
            history.stream().filter(t -> t.answer().action().equals("click[" + here + "]")).count()
                > 1;
        if (perfect || settled || (best && !timeForMore)) {
          return chooseOrBuy(history, view.wanted());
        }
        return click(Label.PREVIOUS.clicked());
      }
      for (String asin : view.products()) {
        if (!seen.containsKey(asin) && left >= 1 + 2 + finish) {
          return click(asin);
        }
      }
      return click(
          seen.isEmpty()
              ? view.products().stream().findFirst().orElse(Label.BACK_TO_SEARCH.clicked())
              : best(seen));
    };
  }

  /** The products whose pages were seen, with how many of the wanted options they have. */
  private static Map<String, Integer> seen(List<Visit> history, ShopPage now, List<String> wanted) {
    Map<String, Integer> seen = new LinkedHashMap<>();
    for (int i = 0; i < history.size(); i++) {
      Visit visit = history.get(i);
      if (visit.opensProduct()) {
        ShopPage page = i + 1 < history.size() ? history.get(i + 1).page() : now;
        int matches = (int) wanted.stream().filter(page.choices()::contains).count();
        seen.remove(visit.argument());
        seen.put(visit.argument(), matches);
      }
    }
    return seen;
  }

  private static String last(Map<String, Integer> seen) {
    String last = "";
    for (String asin : seen.keySet()) {
      last = asin;
    }
    return last;
  }

  private static String best(Map<String, Integer> seen) {
    String best = "";
    for (var entry : seen.entrySet()) {
      best = best.isEmpty() || entry.getValue() > seen.get(best) ? entry.getKey() : best;
    }
    return best;
  }

  /**
   * Knows all about the products of the first three results pages without opening them, their lists
   * of attributes included. It opens the one that matches most options, price and attributes, and
   * buys it.
   *
   * @param opened gives the shop
   */
  public static TranslatedAgent informedScan(Supplier<WebShop> opened) {
    return new TranslatedAgent(
        (history, view, random) -> {
          if (view.isIndex()) {
            return search(view.instruction());
          } else if (view.isItem()) {
            return chooseOrBuy(history, view.wanted());
          }
          WebShop shop = opened.get();
          List<String> found = shop.find(keywords(history));
          String best = "";
          int bestMatch = -1;
          for (String asin : found.subList(0, Math.min(LOOKED_THROUGH, found.size()))) {
            int match = match(shop.data().item(asin).orElseThrow(), view);
            if (match > bestMatch) {
              best = asin;
              bestMatch = match;
            }
          }
          if (best.isEmpty()) {
            return click(Label.BACK_TO_SEARCH.clicked());
          }
          return click(view.products().contains(best) ? best : Label.NEXT.clicked());
        });
  }

  private static List<String> keywords(List<Visit> history) {
    return List.of(history.get(0).argument().toLowerCase(Locale.ROOT).split(" "));
  }

  /**
   * A point for each option that an instruction names and the product has, for its price, and for
   * each wanted attribute that its pages show.
   */
  private static int match(Item item, ShopPage view) {
    Set<String> values = new HashSet<>();
    item.options().values().forEach(values::addAll);
    String instruction = view.instruction();
    int match = (int) Instruction.values(instruction).stream().filter(values::contains).count();
    match += item.prices().get(0) <= Instruction.maxPrice(instruction) ? 1 : 0;
    String pages =
        String.join(" ", item.title(), item.description(), String.join(" ", item.bullets()));
    for (String attribute : item.attributes()) {
      boolean shown = pages.toLowerCase(Locale.ROOT).contains(attribute);
      match += shown && instruction.contains(attribute) ? 1 : 0;
    }
    return match;
  }

  /**
   * Knows the product and the options. What it misses, no purchase can reach.
   *
   * @param wanted the goals of all tasks that it will play
   */
  public static TranslatedAgent oracle(Collection<Goal> wanted) {
    Map<String, Goal> goals = new HashMap<>();
    wanted.forEach(goal -> goals.put(goal.instruction(), goal));
    return new TranslatedAgent(
        (history, view, random) -> {
          Goal goal = goals.get(view.instruction());
          if (view.isIndex()) {
            return search(goal.item().title().replaceAll("[\\[\\]]", " "));
          } else if (view.isItem()) {
            return chooseOrBuy(history, goal.options().values());
          }
          String asin = goal.item().asin();
          return click(view.products().contains(asin) ? asin : Label.NEXT.clicked());
        });
  }
}
