package org.vstar.env.webshop.site;

import java.util.List;
import java.util.Locale;
import org.vstar.common.Html;
import org.vstar.env.Outcome;
import org.vstar.env.Task;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;

/** The site's pages. */
final class ShopHtml {

  private static final String HEAD =
      Html.head(
          "WebShop",
          """
          button{font:inherit;margin:.15em;padding:.2em .7em;border:1px solid #999;border-radius:4px;background:#f6f6f6}
          button.chosen,button.visited{background:#d7ecd9;border-color:#2a9d5c}
          button.product,button.task{display:block;margin-top:.9em}
          p{margin:.2em}#instruction{background:#fff7d6;padding:.6em;border-radius:4px}
          input{font:inherit;width:70%;padding:.2em}td{padding:.1em 1em .1em 0}
          """);

  private ShopHtml() {}

  static String message(String text) {
    return HEAD + "<p>" + Html.escape(text) + " <a href=\"/\">All tasks</a></p></body></html>\n";
  }

  /** The page that a visit begins from. */
  static String tasks(List<Task> tasks) {
    StringBuilder html =
        new StringBuilder(HEAD)
            .append("<h1>Choose a task</h1>\n")
            .append("<form method=\"post\" action=\"/start/any\"><button>Any</button></form>\n");
    for (int i = 0; i < tasks.size(); i++) {
      html.append("<form method=\"post\" action=\"/start/")
          .append(i)
          .append("\"><button class=\"task\">Task ")
          .append(i)
          .append("</button><p>")
          .append(Html.escape(tasks.get(i).prompt()))
          .append("</p></form>\n");
    }
    return html.append("</body></html>\n").toString();
  }

  /** What a visitor sees now. */
  static String visit(Visit visit) {
    Session session = visit.session();
    StringBuilder html =
        new StringBuilder(HEAD)
            .append("<p id=\"instruction\">")
            .append(Html.escape(session.goal().instruction()))
            .append("</p>\n<p id=\"left\">")
            .append(visit.turnsLeft())
            .append(" turns left. <a href=\"/\">All tasks</a></p>\n");
    if (!visit.turns().isEmpty()) {
      Outcome last = visit.turns().get(visit.turns().size() - 1).outcome();
      html.append("<p id=\"event\">").append(Html.escape(last.event())).append("</p>\n");
      if (visit.over()) {
        return html.append(reward(last)).append("</body></html>\n").toString();
      }
    }
    html.append("<form method=\"post\">");
    if (session.page().searchBar()) {
      html.append("<input name=\"keywords\" required autofocus> <button>Search</button></form>\n");
    } else {
      // The instruction stands above.
      session.page().nodes().stream().skip(2).forEach(node -> node(html, node));
      html.append("</form>\n");
    }
    return html.append("</body></html>\n").toString();
  }

  private static String reward(Outcome last) {
    StringBuilder html = new StringBuilder("<h1 id=\"reward\">");
    html.append(
        last.done()
            ? String.format(Locale.ROOT, "Reward %.4f", last.reward())
            : "No turns left, nothing bought");
    html.append("</h1>\n<table id=\"parts\">");
    last.parts()
        .forEach(
            (part, value) ->
                html.append(
                    String.format(Locale.ROOT, "<tr><td>%s</td><td>%.4f</td></tr>", part, value)));
    return html.append("</table>\n").toString();
  }

  private static void node(StringBuilder html, Page.Node node) {
    if (node instanceof Page.Text t) {
      html.append("<p>").append(Html.escape(t.text())).append("</p>\n");
    } else if (node instanceof Page.Button b) {
      button(html, "", b.label().clicked(), b.label().shown());
    } else if (node instanceof Page.Link l) {
      button(html, l.visited() ? "product visited" : "product", l.asin(), l.asin());
    } else if (node instanceof Page.Choice c) {
      button(html, c.chosen() ? "choice chosen" : "choice", c.value(), c.value());
    }
  }

  private static void button(StringBuilder html, String kind, String target, String label) {
    html.append("<button class=\"")
        .append(kind)
        .append("\" name=\"action\" value=\"click[")
        .append(Html.escape(target))
        .append("]\">")
        .append(Html.escape(label))
        .append("</button>\n");
  }
}
