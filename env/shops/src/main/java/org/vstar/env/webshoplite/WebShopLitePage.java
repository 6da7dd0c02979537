package org.vstar.env.webshoplite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the shop says, and how a reader takes it apart again. */
final class WebShopLitePage {

  /** How many results a search shows. */
  static final int SHOWN = 5;

  private static final Pattern WANTED = Pattern.compile("wants to buy (.+?)\\. Available:");
  private static final Pattern RESULTS = Pattern.compile("^Found \\d+ results\\. Top \\d+: (.+)$");
  private static final Pattern HIT = Pattern.compile("(\\d+) ([^;]+)");

  /** One line of a result page. */
  record Hit(int id, String title) {}

  private WebShopLitePage() {}

  static String prompt(Item target, Catalogue catalogue) {
    return "TASK: User wants to buy "
        + target.title().toLowerCase(Locale.ROOT)
        + ". Available: "
        + catalogue.products().size()
        + " products across "
        + catalogue.categories().size()
        + " categories.";
  }

  static String results(List<Item> found) {
    if (found.isEmpty()) {
      return "Found 0 results. Try other keywords.";
    }
    List<Item> top = found.subList(0, Math.min(SHOWN, found.size()));
    return "Found "
        + found.size()
        + " results. Top "
        + top.size()
        + ": "
        + top.stream().map(p -> p.id() + " " + p.title()).collect(Collectors.joining("; "));
  }

  static String item(Item product) {
    return String.format(
        Locale.ROOT,
        "Item %d: %s. Category: %s. Price: $%.2f. Attributes: %s.",
        product.id(),
        product.title(),
        product.category(),
        product.price(),
        String.join(", ", product.attributes()));
  }

  static String bought(Item product) {
    return "You bought " + product.title() + ".";
  }

  static String invalid() {
    return "Invalid action. Use search <keywords>, click <id> or buy <id>.";
  }

  /** What can be said apart from products. */
  static List<String> phrases() {
    return List.of(results(List.of()), invalid(), "Found results. Top 1 2 3 4 5: ;");
  }

  /** The title that the prompt asks for, in lower case; empty if this is not a prompt. */
  static String wanted(String prompt) {
    Matcher matcher = WANTED.matcher(prompt);
    return matcher.find() ? matcher.group(1) : "";
  }

  /** The hits that an observation shows; none if it is not a result page. */
  static List<Hit> hits(String observation) {
    Matcher page = RESULTS.matcher(observation);
    List<Hit> hits = new ArrayList<>();
    if (page.find()) {
      for (String part : page.group(1).split("; ")) {
        Matcher hit = HIT.matcher(part);
        if (hit.matches()) {
          hits.add(new Hit(Integer.parseInt(hit.group(1)), hit.group(2)));
        }
      }
    }
    return hits;
  }
}
