package org.vstar.env.webshoplite;

import java.util.List;
import java.util.SplittableRandom;
import org.vstar.env.ActionGrammar;
import org.vstar.env.ActionGrammar.Form;
import org.vstar.env.ActionGrammar.OneOf;
import org.vstar.env.ActionGrammar.Words;
import org.vstar.env.Agent;
import org.vstar.env.Answer;

/** The agents that results are compared with. */
public final class Shoppers {

  private Shoppers() {}

  /** A legal action: all verbs equally likely, then all ids, or all single keywords. */
  public static Agent random(ActionGrammar grammar) {
    return (history, observation, random) -> {
      Form form = grammar.forms().get(random.nextInt(grammar.forms().size()));
      return new Answer("", form.verb() + " " + argument(form, random));
    };
  }

  private static String argument(Form form, SplittableRandom random) {
    if (form.argument() instanceof OneOf one) {
      return one.values().get(random.nextInt(one.values().size()));
    }
    Words words = (Words) form.argument();
    return words.vocabulary().get(random.nextInt(words.vocabulary().size()));
  }

  /** The keyword heuristic: search the request's first keyword and buy the first hit. */
  public static Agent heuristic() {
    return (history, observation, random) -> {
      List<WebShopLitePage.Hit> hits = WebShopLitePage.hits(observation);
      if (!hits.isEmpty()) {
        return new Answer("", "buy " + hits.get(0).id());
      }
      String wanted =
          WebShopLitePage.wanted(history.isEmpty() ? observation : history.get(0).observation());
      int space = wanted.indexOf(' ');
      return new Answer("", "search " + (space < 0 ? wanted : wanted.substring(0, space)));
    };
  }
}
