package org.vstar.env.webshop.dialogue;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.env.ActionGrammar;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;

/** What can be said in the shop's own language. */
final class ShopWords {

  /** The grammars of the shop's own language name no more keywords than this. */
  static final int MAX_KEYWORDS = 40;

  private static final Pattern ACTION =
      Pattern.compile("(search|click) *(?:\\[(.+)]|(?<= )(\\S.*))", Pattern.DOTALL);
  private static final Pattern PARTED = Pattern.compile("(?<=\\d) ?([./]) ?(?=\\d)| ('|’) ?");

  private ShopWords() {}

  /** Words that a search can have; those with brackets would end an action. */
  static List<String> keywords(List<Item> items) {
    Set<String> words = new TreeSet<>();
    items.forEach(i -> words.addAll(List.of(i.title().toLowerCase(Locale.ROOT).split(" "))));
    words.removeIf(word -> word.isEmpty() || word.contains("[") || word.contains("]"));
    return List.copyOf(words);
  }

  /**
   * The action that is meant by {@code search words}, {@code click[ x ]} and the like. Tokenizers
   * for small models part words at punctuation: white space is of no account in what is clicked,
   * and search terms are put together again.
   */
  static String normalizeAction(Session session, String written) {
    Matcher action = ACTION.matcher(written.strip());
    if (!action.matches()) {
      return written;
    }
    String argument = action.group(2) == null ? action.group(3) : action.group(2);
    return action.group(1).equals("search")
        ? "search[" + rejoin(argument) + "]"
        : "click[" + clickable(session, argument, node -> true).orElse(argument) + "]";
  }

  /** Keywords as they were before a tokenizer parted them; brackets would end the action. */
  static String rejoin(String keywords) {
    Matcher parted = PARTED.matcher(keywords.replaceAll("[\\[\\]\\v]", " "));
    return parted.replaceAll(m -> Matcher.quoteReplacement(m.group(m.group(1) == null ? 2 : 1)));
  }

  /** What can be clicked by a text, white space aside. */
  static Optional<String> clickable(Session session, String text, Predicate<Page.Node> which) {
    Map<String, Page.Node> clickables = session.page().clickables();
    if (clickables.containsKey(text) && which.test(clickables.get(text))) {
      return Optional.of(text);
    }
    String wanted = withoutWhitespace(text);
    return clickables.entrySet().stream()
        .filter(e -> which.test(e.getValue()) && withoutWhitespace(e.getKey()).equals(wanted))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static String withoutWhitespace(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[\\s\\u00a0]+", "");
  }

  /** Searches by the words of titles, and clicks on whatever any page has. */
  static ActionGrammar grammar(List<Item> items) {
    Set<String> clicks = new LinkedHashSet<>(Session.buttons());
    for (Item item : items) {
      clicks.add(item.asin().toLowerCase(Locale.ROOT));
      item.options().values().forEach(clicks::addAll);
    }
    return new ActionGrammar(
        List.of(
            new ActionGrammar.Form(
                "search", new ActionGrammar.Words(keywords(items), MAX_KEYWORDS)),
            new ActionGrammar.Form("click", new ActionGrammar.OneOf(List.copyOf(clicks)))));
  }

  /** The names of a product's options, each with its values behind it. */
  static List<String> options(Item item) {
    List<String> text = new ArrayList<>();
    item.options()
        .forEach(
            (group, values) -> {
              text.add(group);
              text.addAll(values);
            });
    return text;
  }

  /** Every word of every page. */
  static List<String> text(List<Item> items, List<Goal> goals) {
    List<String> text = new ArrayList<>();
    for (Item item : items) {
      text.add(item.asin());
      text.add(item.title());
      text.add(item.description());
      text.addAll(item.bullets());
      text.add(item.priceText());
      text.addAll(item.attributes());
      text.add(item.category() + " " + item.query() + " " + item.productCategory());
      text.addAll(options(item));
    }
    goals.forEach(goal -> text.add(goal.instruction()));
    return text;
  }
}
