package org.vstar.env.webshop.dialogue;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.vstar.env.ActionGrammar;
import org.vstar.env.python.PythonText;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.Instruction;
import org.vstar.env.webshop.simulator.Label;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;

/**
 * A dialogue of few tokens for small models. It shows all that the original's pages show, but each
 * thing once: the instruction at the beginning, prices and titles on results pages, options on a
 * product's page (their names, and then the values of each), features and description on theirs. A
 * page that was shown is not shown again, but for the options of a product that is opened again.
 * Products have numbers, and a results page says from which one comes back. Actions are {@code
 * search words}, {@code open 3}, {@code choose value}, {@code next}, {@code back}, {@code
 * features}, {@code description} and {@code buy}.
 *
 * <p>In WebShop's 1,000 products, in words: a results page has 200 at the median and 260 at the
 * 95th percentile, a product's options 0 and 44, features 99 and 323, a description 49 and 256.
 * Tokens of 4,096 pieces are about 1.5 times as many.
 *
 * <p>White space is of no account in a value, and search terms are put together again, because
 * tokenizers for small models part words at punctuation.
 *
 * @param maxTurns turns of an episode: what is left of them is shown
 */
public record CompactDialogue(int maxTurns) implements Dialogue {

  /**
   * What stands before each value that a product has, and hardly anywhere else: {@code color; color
   * · gray · navy}. An agent that writes it too when it looks for a value finds it where a product
   * has it, and not where the instruction says it.
   */
  public static final String VALUE = " · ";

  private static final Pattern ACTION = Pattern.compile("(search|open|choose) +(\\S.*)");
  private static final Pattern CLICK = Pattern.compile("click\\[(.*)]");
  private static final Pattern SEARCH = Pattern.compile("search\\[(.*)]");

  /**
   * One of the shop's buttons.
   *
   * @param word the action that presses it
   * @param label the button
   */
  private record Button(String word, Label label) {}

  private static final List<Button> BUTTONS =
      List.of(
          new Button("next", Label.NEXT),
          new Button("back", Label.PREVIOUS),
          new Button("buy", Label.BUY),
          new Button("home", Label.BACK_TO_SEARCH),
          new Button("description", Label.DESCRIPTION),
          new Button("features", Label.FEATURES),
          new Button("reviews", Label.REVIEWS),
          new Button("attributes", Label.ATTRIBUTES));

  @Override
  public String page(Session session) {
    return switch (session.kind()) {
      case INDEX -> Instruction.withShortPrice(session.goal().instruction());
      case RESULTS -> results(session);
      case ITEM -> product(session);
      case SUB_PAGE -> subPage(session);
      case DONE -> "bought";
    };
  }

  @Override
  public String observation(Session session, List<PastTurn> pastTurns) {
    String left = pastTurns.isEmpty() ? "" : maxTurns - pastTurns.size() + " left. ";
    if (!pastTurns.isEmpty() && !pastTurns.get(pastTurns.size() - 1).valid()) {
      return left + "not possible.";
    }
    boolean chosen = session.kind() == Session.Kind.ITEM && !session.options().isEmpty();
    String page = chosen ? chosen(session) : page(session);
    String place = pastTurns.isEmpty() ? "" : session.url();
    boolean shown = pastTurns.stream().anyMatch(s -> s.place().equals(place));
    if (chosen || !shown) {
      return left + page;
    }
    return left + again(session, page, pastTurns.get(pastTurns.size() - 1));
  }

  /**
   * Where one is and where one comes from, instead of a page that was shown. Options are shown
   * again when a product is opened again.
   */
  private static String again(Session session, String page, PastTurn before) {
    return switch (session.kind()) {
      case RESULTS ->
          "page "
              + session.number()
              + (before.place().contains("/item_page/")
                  ? ", after " + before.page().substring(0, before.page().indexOf(' ')) + ":"
                  : ":");
      case ITEM ->
          before.place().contains("/item_sub_page/") ? productNumber(session) + " again." : page;
      case SUB_PAGE -> "again.";
      case INDEX, DONE -> page;
    };
  }

  private static String pageNumber(Session session) {
    return "page " + session.number() + ":";
  }

  private static String productNumber(Session session) {
    List<String> asins = session.products().stream().map(Item::asin).toList();
    return Integer.toString(1 + asins.indexOf(session.item().asin()));
  }

  private static String results(Session session) {
    List<Item> products = session.products();
    String list =
        IntStream.range(0, products.size())
            .mapToObj(i -> i + 1 + " " + price(products.get(i)) + " " + title(products.get(i)))
            .collect(Collectors.joining("; "));
    return pageNumber(session) + " " + (list.isEmpty() ? "nothing." : list);
  }

  private static String product(Session session) {
    Map<String, List<String>> options = session.item().options();
    String all =
        options.entrySet().stream()
            .map(e -> "; " + e.getKey() + VALUE + String.join(VALUE, e.getValue()))
            .collect(Collectors.joining("", String.join(", ", options.keySet()), "."));
    return productNumber(session) + " " + (options.isEmpty() ? "no options." : all);
  }

  private static String subPage(Session session) {
    String text =
        session.page().nodes().stream()
            .skip(Session.TOP)
            .filter(Page.Text.class::isInstance)
            .map(node -> ((Page.Text) node).text())
            .collect(Collectors.joining(" "));
    return text.isBlank() ? "nothing." : oneLine(text);
  }

  private static String chosen(Session session) {
    return session.options().entrySet().stream()
        .map(e -> e.getKey() + ": " + e.getValue())
        .collect(Collectors.joining("; ", "chosen ", "."));
  }

  /** Whole dollars, rounded up: {@code $20}, or {@code $20-35}. */
  private static String price(Item item) {
    return item.prices().stream()
        .map(p -> Long.toString((long) Math.ceil(p)))
        .collect(Collectors.joining("-", "$", ""));
  }

  private static String title(Item item) {
    return oneLine(item.title());
  }

  private static String oneLine(String text) {
    return PythonText.strip(text).replaceAll("\\s+", " ");
  }

  @Override
  public String toShop(Session session, String written) {
    String action = written.strip();
    for (Button button : BUTTONS) {
      if (button.word.equals(action)) {
        return "click[" + button.label.clicked() + "]";
      }
    }
    Matcher matcher = ACTION.matcher(action);
    if (!matcher.matches()) {
      return written;
    }
    String argument = matcher.group(2);
    return switch (matcher.group(1)) {
      case "search" -> "search[" + ShopWords.rejoin(argument) + "]";
      case "open" -> "click[" + asin(session, argument) + "]";
      default -> "click[" + value(session, argument) + "]";
    };
  }

  private static String asin(Session session, String number) {
    List<Item> products = session.products();
    for (int i = 0; i < products.size(); i++) {
      if (Integer.toString(i + 1).equals(number)) {
        return products.get(i).asin();
      }
    }
    return number;
  }

  private static String value(Session session, String written) {
    return ShopWords.clickable(session, written, Page.Choice.class::isInstance).orElse("");
  }

  @Override
  public String fromShop(Session session, String action) {
    Matcher search = SEARCH.matcher(action);
    if (search.matches()) {
      return "search " + search.group(1);
    }
    Matcher click = CLICK.matcher(action);
    if (!click.matches()) {
      return action;
    }
    String label = click.group(1);
    for (Button button : BUTTONS) {
      if (button.label.clicked().equals(label)) {
        return button.word;
      }
    }
    List<Item> products = session.products();
    for (int i = 0; i < products.size(); i++) {
      if (products.get(i).asin().equalsIgnoreCase(label)) {
        return "open " + (i + 1);
      }
    }
    return "choose " + label;
  }

  @Override
  public ActionGrammar actionGrammar(List<Item> items) {
    Set<String> values = new LinkedHashSet<>();
    items.forEach(i -> i.options().values().forEach(values::addAll));
    List<String> numbers =
        IntStream.rangeClosed(1, Session.PER_PAGE).mapToObj(Integer::toString).toList();
    List<ActionGrammar.Form> forms = new ArrayList<>();
    forms.add(
        new ActionGrammar.Form(
            "search", new ActionGrammar.Words(ShopWords.keywords(items), ShopWords.MAX_KEYWORDS)));
    forms.add(new ActionGrammar.Form("open", new ActionGrammar.OneOf(numbers)));
    forms.add(new ActionGrammar.Form("choose", new ActionGrammar.OneOf(List.copyOf(values))));
    for (Button button : BUTTONS) {
      forms.add(new ActionGrammar.Form(button.word, new ActionGrammar.Nothing()));
    }
    return new ActionGrammar(forms);
  }

  @Override
  public List<String> phrases() {
    return List.of(
        "search open choose " + BUTTONS.stream().map(Button::word).collect(Collectors.joining(" ")),
        "1 left. page 1: nothing. not possible. chosen bought; again. no options. $1-2, after");
  }

  @Override
  public List<String> vocabularyText(List<Item> items, List<Goal> goals) {
    List<String> text = new ArrayList<>(phrases());
    IntStream.rangeClosed(0, Math.max(maxTurns, Session.PER_PAGE))
        .forEach(i -> text.add(Integer.toString(i)));
    for (Item item : items) {
      text.add(item.title());
      text.add(item.description());
      text.addAll(item.bullets());
      text.add(price(item));
      text.addAll(ShopWords.options(item));
    }
    goals.forEach(goal -> text.add(goal.instruction()));
    return text;
  }
}
