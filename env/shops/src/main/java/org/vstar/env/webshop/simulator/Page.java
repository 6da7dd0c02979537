package org.vstar.env.webshop.simulator;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.vstar.env.python.PythonText;

/**
 * A page as an agent sees it.
 *
 * @param searchBar whether text can be typed
 * @param nodes what is on it, in order
 */
public record Page(boolean searchBar, List<Node> nodes) {

  /** Something on a page. */
  public sealed interface Node {}

  /** Words that do nothing. */
  public record Text(String text) implements Node {}

  /** A button of the shop. */
  public record Button(Label label) implements Node {}

  /** A link to a product. */
  public record Link(String asin, boolean visited) implements Node {}

  /** A value of an option. */
  public record Choice(String group, String value, boolean chosen) implements Node {}

  /** What can be clicked, by the text to click it with. */
  public Map<String, Node> clickables() {
    Map<String, Node> clickables = new LinkedHashMap<>();
    nodes.forEach(
        n -> {
          if (n instanceof Button b) {
            clickables.put(b.label.clicked(), b);
          }
        });
    nodes.forEach(
        n -> {
          if (n instanceof Link l) {
            clickables.put(l.asin.toLowerCase(Locale.ROOT), l);
          }
        });
    nodes.forEach(
        n -> {
          if (n instanceof Choice c) {
            clickables.put(c.value, c);
          }
        });
    return clickables;
  }

  private static String words(Node node) {
    if (node instanceof Text t) {
      return t.text;
    } else if (node instanceof Button b) {
      return b.label.shown();
    } else if (node instanceof Link l) {
      return l.asin;
    }
    return ((Choice) node).value;
  }

  private static boolean isBlank(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (" \t\n\f\r".indexOf(text.charAt(i)) < 0) {
        return false;
      }
    }
    return true;
  }

  private List<Node> visible() {
    List<Node> visible = new ArrayList<>();
    for (Node node : nodes) {
      String words = words(node);
      if (!isBlank(words)) {
        visible.add(node);
      } else if (!words.isEmpty() && !words.contains("\n")) {
        // White space with a line break comes from the template and is not shown; any other white
        // space is shown as one blank.
        visible.add(node instanceof Text ? new Text(" ") : node);
      }
    }
    return visible;
  }

  /** WebShop's {@code text} observation. */
  public String text() {
    return visible().stream()
        .map(node -> PythonText.strip(words(node)))
        .collect(Collectors.joining(" [SEP] "));
  }

  /** WebShop's {@code text_rich} observation. */
  public String richText() {
    StringBuilder rich = new StringBuilder();
    for (Node node : visible()) {
      if (node instanceof Text t) {
        rich.append(t.text);
      } else if (node instanceof Button b) {
        rich.append("[button] ").append(b.label.shown()).append(" [button_]");
      } else if (node instanceof Link l) {
        rich.append(l.visited ? "\n[clicked button] " : "\n[button] ")
            .append(l.asin)
            .append(l.visited ? " [clicked button_]" : " [button_]");
      } else if (node instanceof Choice c) {
        if (c.chosen) {
          rich.insert(0, "You have clicked " + c.value + ".\n");
        }
        rich.append(c.chosen ? "  [clicked button] " : "  [button] ")
            .append(c.value)
            .append(c.chosen ? " [clicked button_]" : " [button_]");
      }
      rich.append('\n');
    }
    return rich.toString();
  }

  /**
   * What is shown after a purchase.
   *
   * @param options what was chosen
   */
  static Page receipt(String asin, Map<String, String> options, double reward) {
    String json =
        PythonText.json(new TreeMap<>(options))
            .replace("<", "\\u003c")
            .replace(">", "\\u003e")
            .replace("&", "\\u0026")
            .replace("'", "\\u0027");
    List<Node> nodes = new ArrayList<>();
    for (String text :
        List.of(
            "Thank you for shopping with us!",
            "Your code: ",
            "None",
            " (Paste it in your MTurk interface.)",
            "Purchased",
            "asin",
            asin,
            "options",
            json,
            "attrs",
            "None",
            "category",
            "None",
            "query",
            "None",
            "product category",
            "None",
            "Target",
            "asin",
            "options",
            "attrs",
            "price upper",
            "instuction text",
            "category",
            "product category",
            "query",
            "Goal ",
            "None",
            "Reward",
            "Your score (min 0.0, max 1.0)",
            PythonText.text(reward),
            "Reward Details ",
            "None")) {
      nodes.add(new Text(text));
    }
    return new Page(false, nodes);
  }
}
