package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vstar.env.python.PythonText;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.goal.Instruction;
import org.vstar.env.webshop.simulator.Label;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;

/**
 * What a page of the shop shows, in parts. It has nothing that the page's text has not.
 *
 * @param kind the kind of page
 * @param instruction what the shopper is to buy
 * @param results the products of a results page; empty on other pages
 * @param choices names and values of the options of a product's page, in their order; empty on
 *     other pages
 * @param buttons what can be clicked besides results and choices
 * @param body the text of a sub-page, of features for example; empty on other pages
 */
public record ShopPage(
    Session.Kind kind,
    String instruction,
    List<Result> results,
    List<String> choices,
    Set<Label> buttons,
    String body) {

  /**
   * A product as a results page shows it.
   *
   * @param number its place on the page, from 1
   * @param minPrice the price, or the lowest of a range
   */
  public record Result(int number, String asin, String title, double minPrice) {

    /** The lowest price in whole dollars, as compact pages show it: {@code $20}. */
    String price() {
      return "$" + (long) Math.ceil(minPrice);
    }
  }

  /** The page that a session shows. */
  public static ShopPage of(Session session) {
    Page page = session.page();
    Session.Kind kind = session.kind();
    Set<Label> buttons =
        page.nodes().stream()
            .filter(Page.Button.class::isInstance)
            .map(node -> ((Page.Button) node).label())
            .collect(Collectors.toUnmodifiableSet());
    return new ShopPage(
        kind,
        PythonText.strip(session.goal().instruction()),
        kind == Session.Kind.RESULTS ? results(session.products()) : List.of(),
        kind == Session.Kind.ITEM ? choices(session.item()) : List.of(),
        buttons,
        kind == Session.Kind.SUB_PAGE ? body(page) : "");
  }

  private static List<Result> results(List<Item> products) {
    List<Result> results = new ArrayList<>();
    for (Item product : products) {
      results.add(
          new Result(
              results.size() + 1,
              product.asin(),
              PythonText.strip(product.title()),
              product.prices().get(0)));
    }
    return List.copyOf(results);
  }

  private static List<String> choices(Item product) {
    return product.options().entrySet().stream()
        .flatMap(option -> Stream.concat(Stream.of(option.getKey()), option.getValue().stream()))
        .map(PythonText::strip)
        .filter(text -> !text.isEmpty())
        .toList();
  }

  /** The texts below the instruction, joined by blanks. */
  private static String body(Page page) {
    return page.nodes().stream()
        .skip(Session.TOP)
        .filter(Page.Text.class::isInstance)
        .map(node -> PythonText.strip(((Page.Text) node).text()))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(" "));
  }

  boolean isIndex() {
    return kind == Session.Kind.INDEX;
  }

  boolean isResults() {
    return kind == Session.Kind.RESULTS;
  }

  boolean isItem() {
    return kind == Session.Kind.ITEM;
  }

  /** The products of a results page. */
  List<String> products() {
    return results.stream().map(Result::asin).toList();
  }

  /** The product with an ASIN, if the page shows it. */
  Optional<Result> result(String asin) {
    return results.stream().filter(result -> result.asin().equals(asin)).findFirst();
  }

  /** The choices that the instruction mentions, in the order of the page. */
  List<String> mentioned() {
    return choices.stream()
        .filter(c -> instruction.contains(c) && !instruction.contains(c + ": "))
        .toList();
  }

  /** The option values that the instruction names and the product has. */
  List<String> wanted() {
    return Instruction.values(instruction).stream().filter(choices::contains).toList();
  }
}
