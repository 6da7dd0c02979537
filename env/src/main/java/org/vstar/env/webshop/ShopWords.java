package org.vstar.env.webshop;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.vstar.env.ActionGrammar;

/** What can be said in the shop's own language. */
final class ShopWords {

  private ShopWords() {}

  /** Words that a search can have; those with brackets would end an action. */
  static List<String> keywords(List<Item> items) {
    Set<String> words = new TreeSet<>();
    items.forEach(i -> words.addAll(List.of(i.title().toLowerCase(Locale.ROOT).split(" "))));
    words.removeIf(word -> word.isEmpty() || word.contains("[") || word.contains("]"));
    return List.copyOf(words);
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
                "search", new ActionGrammar.Words(keywords(items), Dialogue.MOST_KEYWORDS)),
            new ActionGrammar.Form("click", new ActionGrammar.OneOf(List.copyOf(clicks)))));
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
      item.options()
          .forEach(
              (group, values) -> {
                text.add(group);
                text.addAll(values);
              });
    }
    goals.forEach(goal -> text.add(goal.instruction()));
    return text;
  }
}
