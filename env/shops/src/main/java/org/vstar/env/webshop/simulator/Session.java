package org.vstar.env.webshop.simulator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vstar.env.python.PythonText;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.reward.PurchaseReward;
import org.vstar.env.webshop.simulator.Page.Button;
import org.vstar.env.webshop.simulator.Page.Choice;
import org.vstar.env.webshop.simulator.Page.Link;
import org.vstar.env.webshop.simulator.Page.Node;
import org.vstar.env.webshop.simulator.Page.Text;

/** One shopper on their way through the shop. Not thread-safe; costs nothing to drop. */
public final class Session {

  private static final String HOST = "http://127.0.0.1:3000/";
  private static final String SEARCH = "search";

  /** Every button that a page can have, by the words to click it with. */
  private static final Map<String, Button> BUTTONS = byWords();

  public static final int PER_PAGE = 10;

  /** How many nodes of a page come before what is its own: the instruction and a button. */
  public static final int TOP = 3;

  /** Which kind of page is shown. */
  public enum Kind {
    INDEX,
    RESULTS,
    ITEM,
    SUB_PAGE,
    DONE
  }

  /**
   * What an action did.
   *
   * @param valid whether it was possible; what is not changes nothing
   * @param reward of a purchase, else 0
   * @param purchase the parts of the reward, null unless something was bought
   */
  public record Step(boolean valid, double reward, boolean done, PurchaseReward.Parts purchase) {}

  private final WebShop shop;
  private final Goal goal;
  private final String id;
  private final boolean original;
  private final Set<String> visited = new LinkedHashSet<>();
  private Map<String, String> options = new LinkedHashMap<>();
  private List<String> keywords;
  private List<String> found = List.of();
  private int number;
  private Item item;
  private Label subPage;
  private Kind kind = Kind.INDEX;
  private Page page;

  /**
   * Opens a session on the search page.
   *
   * @param original whether it has the original's faults
   */
  Session(WebShop shop, Goal goal, String id, boolean original) {
    this.shop = shop;
    this.goal = goal;
    this.id = id;
    this.original = original;
    this.page = index();
  }

  /** The first page for a goal; there is no shop behind it, so it can only be looked at. */
  public static Session preview(Goal goal) {
    return new Session(null, goal, "", false);
  }

  public Goal goal() {
    return goal;
  }

  public Page page() {
    return page;
  }

  public Kind kind() {
    return kind;
  }

  /** The product whose page is shown; null on others. */
  public Item item() {
    return item;
  }

  /** The number of the results page that was shown last, from 1; 0 before any search. */
  public int number() {
    return number;
  }

  /** The products of the results page that was shown last. */
  public List<Item> products() {
    long from = Math.max(0, Math.min(found.size(), (number - 1L) * PER_PAGE));
    long to = Math.max(from, Math.min(found.size(), (long) number * PER_PAGE));
    return found.subList((int) from, (int) to).stream().map(shop::item).toList();
  }

  /** The options that were chosen, in the order of their first choice. */
  public Map<String, String> options() {
    return Collections.unmodifiableMap(options);
  }

  /**
   * Takes an action, {@code search[…]} or {@code click[…]}.
   *
   * @throws IllegalStateException if the session is over, unless it behaves as the original
   */
  public Step step(String action) {
    if (kind == Kind.DONE && !original) {
      throw new IllegalStateException("the session is over");
    }
    // As the regular expression (.+)\[(.+)\] on the first line: the last bracket that can open.
    String line = action.indexOf('\n') < 0 ? action : action.substring(0, action.indexOf('\n'));
    int close = line.lastIndexOf(']');
    int open = close < 2 ? -1 : line.lastIndexOf('[', close - 2);
    if (open < 1) {
      return nothing();
    }
    String name = line.substring(0, open);
    String argument = PythonText.lower(line.substring(open + 1, close));
    if (name.equals(SEARCH)) {
      search(List.of(argument.split(" ", -1)));
      return new Step(true, 0, false, null);
    }
    Node node = name.equals("click") ? page.clickables().get(argument) : null;
    if (node == null || argument.equals(SEARCH)) {
      return nothing();
    }
    // A value called like a button is that button; in the original even if the page has no such.
    Button button = node instanceof Choice ? BUTTONS.get(argument) : null;
    boolean pressed = button != null && (original || page.nodes().contains(button));
    return click(pressed ? button : node);
  }

  private static Step nothing() {
    return new Step(false, 0, false, null);
  }

  private void search(List<String> words) {
    keywords = words;
    found = shop.find(words);
    show(1);
  }

  private void show(int results) {
    number = results;
    item = null;
    options = new LinkedHashMap<>();
    kind = Kind.RESULTS;
    page = results();
  }

  private Step click(Node node) {
    if (node instanceof Link link) {
      item = shop.item(link.asin());
      visited.add(link.asin());
      open();
    } else if (node instanceof Choice choice) {
      options.put(choice.group(), choice.value());
      open();
    } else {
      return press(((Button) node).label());
    }
    return new Step(true, 0, false, null);
  }

  private Step press(Label label) {
    switch (label) {
      case BACK_TO_SEARCH -> {
        keywords = null;
        item = null;
        options = new LinkedHashMap<>();
        visited.clear();
        kind = Kind.INDEX;
        page = index();
      }
      case NEXT -> show(number + 1);
      case PREVIOUS -> {
        Kind from = original ? kindInUrl() : kind;
        if (from == Kind.SUB_PAGE) {
          open();
        } else {
          show(from == Kind.ITEM ? number : number - 1);
        }
      }
      case BUY -> {
        PurchaseReward.Parts parts =
            shop.reward().of(item, shop.data().price(item), options.values(), goal);
        kind = Kind.DONE;
        page = Page.receipt(item.asin(), options, parts.total());
        return new Step(true, parts.total(), true, parts);
      }
      default -> {
        subPage = label;
        kind = Kind.SUB_PAGE;
        page = subPage();
      }
    }
    return new Step(true, 0, false, null);
  }

  private void open() {
    kind = Kind.ITEM;
    page = itemPage();
  }

  /** The original looks for the kind's name in the address, where keywords stand too. */
  private Kind kindInUrl() {
    String url = url();
    return url.contains("search_results")
        ? Kind.RESULTS
        : url.contains("item_page") ? Kind.ITEM : Kind.SUB_PAGE;
  }

  /** The address that the original's page would have. */
  public String url() {
    String words = keywords == null ? "" : String.join("+", keywords);
    return HOST
        + switch (kind) {
          case INDEX -> id;
          case RESULTS -> "search_results/" + id + "/" + words + "/" + number;
          case ITEM -> "item_page/" + path(words) + "/" + PythonText.json(options);
          case SUB_PAGE ->
              "item_sub_page/"
                  + path(words)
                  + "/"
                  + subPage.shown()
                  + "/"
                  + PythonText.repr(options);
          case DONE -> "done/" + id + "/" + item.asin() + "/" + PythonText.repr(options);
        };
  }

  private String path(String words) {
    return id + "/" + item.asin() + "/" + words + "/" + number;
  }

  private static Map<String, Button> byWords() {
    Map<String, Button> buttons = new LinkedHashMap<>();
    for (Label label : Label.values()) {
      if (label != Label.SEARCH) {
        buttons.put(label.clicked(), new Button(label));
      }
    }
    return Collections.unmodifiableMap(buttons);
  }

  /** Every button that a page can have, as it is clicked; text is typed without one. */
  public static List<String> buttons() {
    return List.copyOf(BUTTONS.keySet());
  }

  /** Whether the results page shows a product. */
  public boolean shows(String asin) {
    return page.nodes().stream().anyMatch(n -> n instanceof Link l && l.asin().equals(asin));
  }

  private Page index() {
    return firstPage(goal.instruction());
  }

  /** The page that every session begins with. */
  private static Page firstPage(String instruction) {
    return new Page(
        true,
        List.of(
            new Text(Label.SHOP),
            new Text("Instruction: "),
            new Text(instruction),
            new Button(Label.SEARCH)));
  }

  private List<Node> top() {
    return new ArrayList<>(
        List.of(
            new Text("Instruction:"),
            new Text(goal.instruction()),
            new Button(Label.BACK_TO_SEARCH)));
  }

  private Page results() {
    List<Node> nodes = top();
    nodes.add(new Text("Page " + number + " (Total results: " + found.size() + ")"));
    if (number > 1) {
      nodes.add(new Button(Label.PREVIOUS));
    }
    nodes.add(new Button(Label.NEXT));
    for (Item product : products()) {
      nodes.add(new Link(product.asin(), visited.contains(product.asin())));
      nodes.add(new Text(product.title()));
      nodes.add(new Text(product.priceText()));
    }
    return new Page(false, nodes);
  }

  private Page itemPage() {
    List<Node> nodes = top();
    nodes.add(new Button(Label.PREVIOUS));
    String url = url();
    item.options()
        .forEach(
            (group, values) -> {
              nodes.add(new Text(group));
              // The original looks for the quoted value in the address, whatever else is there.
              values.forEach(
                  v ->
                      nodes.add(
                          new Choice(
                              group,
                              v,
                              original
                                  ? url.contains('"' + v + '"')
                                  : v.equals(options.get(group)))));
            });
    nodes.add(new Text(item.title()));
    nodes.add(new Text("Price: " + item.priceText()));
    nodes.add(new Text(Label.RATING));
    for (Label button : List.of(Label.DESCRIPTION, Label.FEATURES, Label.REVIEWS)) {
      nodes.add(new Button(button));
    }
    if (shop.showsAttributes()) {
      nodes.add(new Button(Label.ATTRIBUTES));
    }
    nodes.add(new Button(Label.BUY));
    return new Page(false, nodes);
  }

  private Page subPage() {
    List<Node> nodes = top();
    nodes.add(new Button(Label.PREVIOUS));
    if (subPage == Label.DESCRIPTION) {
      nodes.add(new Text(item.description()));
    } else if (subPage == Label.FEATURES) {
      item.bullets().forEach(bullet -> nodes.add(new Text(" " + bullet)));
    } else if (subPage == Label.ATTRIBUTES) {
      item.attributes().forEach(attribute -> nodes.add(new Text(" " + attribute)));
      for (String text : List.of(item.category(), item.query(), item.productCategory())) {
        nodes.add(new Text(text));
      }
    }
    return new Page(false, nodes);
  }
}
