package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.vstar.env.webshop.goal.Instruction;
import org.vstar.env.webshop.simulator.Label;

/**
 * WebShop's text observation, taken apart again.
 *
 * @param fields what stands between the separators
 */
record ParsedPage(List<String> fields) {

  private static final String SEPARATOR = Pattern.quote(" [SEP] ");
  private static final Pattern ASIN = Pattern.compile("[A-Z0-9]{10}");
  private static final Pattern PRICE_TEXT = Pattern.compile("\\$[0-9.]+( to \\$[0-9.]+)?");
  private static final int HEAD = 4;

  static ParsedPage of(String observation) {
    return new ParsedPage(Arrays.asList(observation.split(SEPARATOR, -1)));
  }

  boolean isIndex() {
    return fields.get(0).equals(Label.SHOP);
  }

  boolean isItem() {
    return fields.contains(Label.BUY.shown());
  }

  String instruction() {
    return fields.get(isIndex() ? 2 : 1);
  }

  /** What can be chosen on a product's page: group names are among it. */
  List<String> choices() {
    int rating = fields.lastIndexOf(Label.RATING);
    return fields.subList(HEAD, Math.max(HEAD, rating - 2));
  }

  /** The choices that the instruction mentions, in the order of the page. */
  List<String> mentioned() {
    return choices().stream()
        .filter(c -> instruction().contains(c) && !instruction().contains(c + ": "))
        .toList();
  }

  /** The option values that the instruction names and the product has. */
  List<String> wanted() {
    return Instruction.values(instruction()).stream().filter(choices()::contains).toList();
  }

  /** The products of a results page. */
  List<String> products() {
    List<String> asins = new ArrayList<>();
    int next = fields.indexOf(Label.NEXT.shown());
    for (int i = next + 1; next >= 0 && i < fields.size(); i += 3) {
      if (ASIN.matcher(fields.get(i)).matches()) {
        asins.add(fields.get(i));
      }
    }
    return asins;
  }

  /**
   * A product as a results page shows it.
   *
   * @param number its place on the page, from 1
   * @param prices the price, or the lowest and the highest
   */
  record Result(int number, String asin, String title, List<Double> prices) {

    double minPrice() {
      return prices.get(0);
    }

    /** The lowest price in whole dollars, as compact pages show it: {@code $20}. */
    String price() {
      return "$" + (long) Math.ceil(minPrice());
    }
  }

  /** The products of a results page with their titles and prices. */
  List<Result> results() {
    List<Result> results = new ArrayList<>();
    int next = fields.indexOf(Label.NEXT.shown());
    int at = -1;
    for (int i = next + 1; next >= 0 && i < fields.size(); i++) {
      String field = fields.get(i);
      if (at < 0 && ASIN.matcher(field).matches()) {
        at = i;
      } else if (at >= 0 && PRICE_TEXT.matcher(field).matches()) {
        // A product without a title has two fields only.
        String title = String.join(" ", fields.subList(at + 1, i));
        List<Double> prices =
            Arrays.stream(field.split(" to ")).map(p -> Double.valueOf(p.substring(1))).toList();
        results.add(new Result(results.size() + 1, fields.get(at), title, prices));
        at = -1;
      }
    }
    return results;
  }

  boolean isResults() {
    return !isIndex() && fields.contains(Label.NEXT.shown());
  }

  /** What a page of features or of a description says. */
  String subPageText() {
    return String.join(" ", fields.subList(Math.min(HEAD, fields.size()), fields.size()));
  }
}
