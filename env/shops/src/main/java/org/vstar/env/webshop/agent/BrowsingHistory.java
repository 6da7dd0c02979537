package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.vstar.env.webshop.agent.ShopPage.Result;
import org.vstar.env.webshop.agent.Shopper.Visit;
import org.vstar.env.webshop.dialogue.CompactDialogue;
import org.vstar.env.webshop.simulator.Session;

/** What a shopper has seen in an episode: its searches and the products that it has looked at. */
final class BrowsingHistory {

  private static final String SEARCH = "search[";
  private static final String FEATURES = "click[features]";

  /** What all attributes together count, beside one option. */
  private static final double ALL_ATTRIBUTES = 0.5;

  /** Thoughts that settle what is bought begin so. */
  static final String BEST = "best";

  /** One product, as far as it was looked at. */
  static final class Look {
    final Result result;
    final String query;
    boolean settled;
    private List<String> choices = List.of();
    private String features;

    private Look(Result result, String query) {
      this.result = result;
      this.query = query;
    }

    boolean featuresRead() {
      return features != null;
    }

    boolean has(String value) {
      return choices.contains(value);
    }

    /** Whether title or features say what the product has to be. */
    boolean says(String attribute) {
      return Wish.says(result.title() + " " + (features == null ? "" : features), attribute);
    }

    /** Names of its options. */
    List<String> optionNames(Wish wish, ShopLexicon lexicon) {
      return choices.stream()
          .filter(c -> lexicon.optionNames().contains(c) && !wish.options().contains(c))
          .toList();
    }

    /** Names of options that the instruction says nothing of. */
    List<String> extras(Wish wish, ShopLexicon lexicon) {
      return optionNames(wish, lexicon).stream().filter(name -> !wish.names(name)).toList();
    }

    /** Whether it has all wanted options and no others. */
    boolean fits(Wish wish, ShopLexicon lexicon) {
      return choices.containsAll(wish.options()) && extras(wish, lexicon).isEmpty();
    }

    /** The wanted attributes that neither title nor features say. */
    List<String> missing(Wish wish) {
      return wish.attributes().stream().filter(a -> !says(a)).toList();
    }

    /** How many options it lacks or has that nobody spoke of: the noes of its check. */
    int wrong(Wish wish, ShopLexicon lexicon) {
      long lacking = wish.options().stream().filter(value -> !choices.contains(value)).count();
      return Math.toIntExact(lacking) + extras(wish, lexicon).size();
    }

    /**
     * Options count before attributes, and those only where features were read: who reads none
     * judges by options alone.
     */
    double score(Wish wish, ShopLexicon lexicon) {
      double attributes = featuresRead() && missing(wish).isEmpty() ? ALL_ATTRIBUTES : 0;
      return attributes - wrong(wish, lexicon);
    }
  }

  private final Map<String, Look> looks = new LinkedHashMap<>();
  private final List<String> queries = new ArrayList<>();
  private Look here;
  private int lastChosen;

  /** Replays what happened. */
  BrowsingHistory(List<Visit> history, ShopPage now) {
    for (int i = 0; i < history.size(); i++) {
      take(history.get(i), i + 1 < history.size() ? history.get(i + 1).page() : now);
    }
  }

  private void take(Visit visit, ShopPage after) {
    String action = visit.answer().action();
    String thought = visit.answer().thought();
    if (action.startsWith(SEARCH) && after.isResults()) {
      queries.add(visit.argument());
      lastChosen = 0;
    } else if (visit.opensProduct()) {
      Result result = visit.page().result(visit.argument()).orElseThrow();
      here = looks.computeIfAbsent(result.asin(), asin -> new Look(result, lastQuery()));
      here.settled = thought.startsWith(BEST);
      here.choices = after.choices();
      // What a slip opened was not chosen.
      lastChosen = thought.isEmpty() ? lastChosen : result.number();
    } else if (action.equals(FEATURES) && after.kind() == Session.Kind.SUB_PAGE) {
      here.features = after.body();
    }
  }

  /** The product that was opened last. */
  Look here() {
    return here;
  }

  boolean seen(String asin) {
    return looks.containsKey(asin);
  }

  Collection<Look> all() {
    return looks.values();
  }

  List<String> queries() {
    return queries;
  }

  /** The place of the product that was last chosen to be opened since the search; 0 without any. */
  int lastChosen() {
    return lastChosen;
  }

  /** What was searched for last. */
  String lastQuery() {
    return queries.get(queries.size() - 1);
  }

  /** The best so far, the first of equals. */
  Optional<Look> best(Wish wish, ShopLexicon lexicon) {
    return looks.values().stream()
        .reduce((a, b) -> b.score(wish, lexicon) > a.score(wish, lexicon) ? b : a);
  }

  /**
   * {@code style no, color yes, size yes; color · red yes; size · large no}: which of the product's
   * options were spoken of, and which of the wanted values it has.
   */
  static String optionCheck(Look look, Wish wish, ShopLexicon lexicon) {
    String names =
        look.optionNames(wish, lexicon).stream()
            .map(name -> name + verdict(wish.names(name)))
            .collect(Collectors.joining(", "));
    Stream<String> values =
        IntStream.range(0, wish.options().size())
            .mapToObj(
                i -> option(wish.described().get(i)) + verdict(look.has(wish.options().get(i))));
    return Stream.concat(Stream.of(names).filter(n -> !n.isEmpty()), values)
        .collect(Collectors.joining("; "));
  }

  /**
   * {@code 2 wrong, best 4}: how many noes the check of the present product has, and its number if
   * it is the best so far. So the best of all is the last that was called so.
   */
  String standing(Wish wish, ShopLexicon lexicon) {
    boolean best = best(wish, lexicon).filter(look -> look == here).isPresent();
    return here.wrong(wish, lexicon)
        + " wrong"
        + (best ? ", " + BEST + " " + here.result.number() : "");
  }

  private static String verdict(boolean right) {
    return right ? " yes" : " no";
  }

  /** The same by one who takes everything that is wanted for there. */
  static String misjudged(Wish wish) {
    return wish.described().stream().map(d -> option(d) + " yes").collect(Collectors.joining("; "));
  }

  /**
   * {@code color · red chosen; size · large next}: what was chosen, up to what is chosen next. An
   * option that the product lacks is {@code no}. Policies that did not write this forgot the second
   * of three options. Two options with one value are taken for one.
   */
  static String choices(Look look, Wish wish, Optional<String> next) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < wish.options().size(); i++) {
      String option = option(wish.described().get(i));
      String value = wish.options().get(i);
      if (next.isPresent() && next.get().equals(value)) {
        parts.add(option + " next");
        break;
      }
      parts.add(option + (look.has(value) ? " chosen" : " no"));
    }
    return String.join("; ", parts);
  }

  private static String option(String described) {
    return described.replaceFirst(": ", CompactDialogue.VALUE);
  }

  /** {@code machine wash yes; long sleeve no}: what title and features say it is. */
  static String attributeCheck(Look look, Wish wish) {
    return wish.attributes().stream()
        .map(attribute -> attribute + verdict(look.says(attribute)))
        .collect(Collectors.joining("; "));
  }

  /** All attributes in a word, on the way back from the features. */
  static String attributeVerdict(Look look, Wish wish) {
    return look.missing(wish).isEmpty() ? "yes" : "no";
  }
}
