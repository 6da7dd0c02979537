package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;

/** Scripted shoppers of WebShop. All but the oracle know what pages show, and nothing else. */
public final class Shoppers {

  private static final String SEPARATOR = Pattern.quote(" [SEP] ");
  private static final Pattern ASIN = Pattern.compile("[A-Z0-9]{10}");
  private static final Pattern OPENED = Pattern.compile("click\\[([A-Z0-9]{10})]");
  private static final String BUY = "buy now";
  private static final int HEAD = 4;

  private Shoppers() {}

  /** A page's fields. */
  private record View(List<String> fields) {

    static View of(String observation) {
      return new View(Arrays.asList(observation.split(SEPARATOR, -1)));
    }

    boolean isIndex() {
      return fields.get(0).equals("WebShop");
    }

    boolean isItem() {
      return fields.contains("Buy Now");
    }

    String instruction() {
      return fields.get(isIndex() ? 2 : 1);
    }

    /** What can be chosen on a product's page: group names are among it. */
    List<String> choices() {
      int rating = fields.lastIndexOf("Rating: N.A.");
      return fields.subList(HEAD, Math.max(HEAD, rating - 2));
    }

    /** The choices that the instruction mentions, in the order of the page. */
    List<String> mentioned() {
      return choices().stream()
          .filter(c -> instruction().contains(c) && !instruction().contains(c + ": "))
          .toList();
    }

    /** The products of a results page. */
    List<String> products() {
      List<String> asins = new ArrayList<>();
      int next = fields.indexOf("Next >");
      for (int i = next + 1; next >= 0 && i < fields.size(); i += 3) {
        if (ASIN.matcher(fields.get(i)).matches()) {
          asins.add(fields.get(i));
        }
      }
      return asins;
    }
  }

  private static Answer click(String what) {
    return new Answer("", "click[" + what + "]");
  }

  /** Clicks on anything that is there; types words of the instruction where it can type. */
  public static Agent random() {
    return (history, observation, random) -> {
      View view = View.of(observation);
      if (view.isIndex()) {
        List<String> words = List.of(view.instruction().split(" "));
        int from = random.nextInt(words.size());
        int to = from + 1 + random.nextInt(Math.min(5, words.size() - from));
        return new Answer("", "search[" + String.join(" ", words.subList(from, to)) + "]");
      }
      List<String> there = new ArrayList<>(List.of("back to search"));
      for (String button : List.of("< prev", "next >", "description", "features", "buy now")) {
        if (view.fields.stream().anyMatch(button::equalsIgnoreCase)) {
          there.add(button);
        }
      }
      there.addAll(view.isItem() ? view.choices() : view.products());
      return click(there.get(random.nextInt(there.size())).toLowerCase(java.util.Locale.ROOT));
    };
  }

  /**
   * Searches the instruction, opens the first product, chooses what the instruction names, buys.
   */
  public static Agent rule(int maxTurns) {
    return (history, observation, random) -> {
      View view = View.of(observation);
      if (view.isIndex()) {
        return new Answer("", "search[" + view.instruction() + "]");
      } else if (view.isItem()) {
        boolean last = history.size() + 1 >= maxTurns;
        return last ? click(BUY) : chooseOrBuy(history, view.mentioned());
      }
      List<String> products = view.products();
      return click(products.isEmpty() ? "back to search" : products.get(0));
    };
  }

  /** The option values that an instruction names: {@code … with color: red, and size: 5, and …}. */
  static List<String> named(String instruction) {
    List<String> values = new ArrayList<>();
    for (String part : instruction.split(", and | with ")) {
      int colon = part.indexOf(": ");
      if (colon > 0) {
        values.add(part.substring(colon + 2));
      }
    }
    return values;
  }

  private static Answer chooseOrBuy(List<Turn> history, Collection<String> wanted) {
    // What was chosen on another product's page does not count here.
    Set<String> taken = new HashSet<>();
    for (Turn turn : history) {
      if (!View.of(turn.observation()).isItem()) {
        taken.clear();
      }
      taken.add(turn.answer().action());
    }
    for (String value : wanted) {
      Answer choose = click(value);
      if (!taken.contains(choose.action())) {
        return choose;
      }
    }
    return click(BUY);
  }

  /**
   * Looks at products of the first results page, in order, until one has every option that the
   * instruction names, or the turns run short; then buys the best it has seen.
   */
  public static Agent scan(int maxTurns) {
    return (history, observation, random) -> {
      View view = View.of(observation);
      if (view.isIndex()) {
        return new Answer("", "search[" + view.instruction() + "]");
      }
      List<String> wanted = named(view.instruction());
      Map<String, Integer> seen = seen(history, view, wanted);
      int left = maxTurns - history.size();
      int finish = wanted.size() + 1;
      if (view.isItem()) {
        String here = last(seen);
        boolean perfect = seen.get(here) == wanted.size();
        boolean best = here.equals(best(seen));
        // Another look costs going back, opening, and perhaps coming back to this one.
        boolean time = left >= 2 + 2 + finish;
        boolean settled =
            history.stream().filter(t -> t.answer().action().equals("click[" + here + "]")).count()
                > 1;
        if (perfect || settled || (best && !time)) {
          return chooseOrBuy(history, wanted.stream().filter(view.choices()::contains).toList());
        }
        return click("< prev");
      }
      for (String asin : view.products()) {
        if (!seen.containsKey(asin) && left >= 1 + 2 + finish) {
          return click(asin);
        }
      }
      return click(
          seen.isEmpty()
              ? view.products().stream().findFirst().orElse("back to search")
              : best(seen));
    };
  }

  /** The products whose pages were seen, with how many of the wanted options they have. */
  private static Map<String, Integer> seen(List<Turn> history, View now, List<String> wanted) {
    Map<String, Integer> seen = new LinkedHashMap<>();
    for (int i = 0; i < history.size(); i++) {
      Matcher opened = OPENED.matcher(history.get(i).answer().action());
      View page = i + 1 < history.size() ? View.of(history.get(i + 1).observation()) : now;
      if (opened.matches() && page.isItem()) {
        int matches = (int) wanted.stream().filter(page.choices()::contains).count();
        seen.remove(opened.group(1));
        seen.put(opened.group(1), matches);
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

  /** Knows the product and the options: what is left is what no purchase can reach. */
  public static Agent oracle(WebShopEnvironment environment) {
    Map<String, Goal> goals = new HashMap<>();
    for (Split split : Split.values()) {
      for (Task task : environment.tasks(split)) {
        Goal goal = environment.goal(task);
        goals.put(goal.instruction(), goal);
      }
    }
    return (history, observation, random) -> {
      View view = View.of(observation);
      Goal goal = goals.get(view.instruction());
      if (view.isIndex()) {
        return new Answer("", "search[" + goal.item().title().replaceAll("[\\[\\]]", " ") + "]");
      } else if (view.isItem()) {
        return chooseOrBuy(history, goal.options().values());
      }
      String asin = goal.item().asin();
      return click(view.products().contains(asin) ? asin : "next >");
    };
  }
}
