package org.vstar.env.webshop.dialogue;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.vstar.env.ActionGrammar;
import org.vstar.env.AnswerFormat;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.simulator.Label;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;

/** How the shop and an agent talk: what the agent is shown, and what its words mean to the shop. */
public sealed interface Dialogue extends Serializable
    permits Dialogue.Plain, Dialogue.Ragen, VerlAgentDialogue, CompactDialogue {

  /**
   * An earlier turn.
   *
   * @param place the page's address
   * @param page what the page was, in the dialogue's words but without earlier turns
   * @param action what the agent wrote
   * @param valid whether the shop could do it
   */
  record PastTurn(String place, String page, String action, boolean valid) {}

  /** A page in the dialogue's words, whatever was said before. */
  String page(Session session);

  /** The first observation of every episode on a goal. */
  default String prompt(Goal goal) {
    return observation(Session.preview(goal), List.of());
  }

  /** What the agent is shown. */
  default String observation(Session session, List<PastTurn> pastTurns) {
    return page(session);
  }

  /** The shop's action, {@code search[…]} or {@code click[…]}, for what an agent wrote. */
  default String toShop(Session session, String written) {
    return ShopWords.normalizeAction(session, written);
  }

  /** What an agent writes for one of the shop's actions on the current page. */
  default String fromShop(Session session, String action) {
    return action;
  }

  /** How thought and action are marked. */
  default AnswerFormat answerFormat() {
    return AnswerFormat.ANSWER;
  }

  /** The actions that can be written, whatever the page. */
  default ActionGrammar actionGrammar(List<Item> items) {
    return ShopWords.grammar(items);
  }

  /** What the dialogue itself says, whatever the product. */
  default List<String> phrases() {
    List<String> phrases = new ArrayList<>(Session.buttons());
    phrases.add("WebShop [SEP] Instruction: Search Page 1 (Total results: 50) Price: Rating: N.A.");
    phrases.add("search[] click[] <content> Available actions");
    phrases.add("[button] [button_] [clicked button] [clicked button_] You have clicked");
    return phrases;
  }

  /**
   * Lines of text for a vocabulary: all that pages show of products, and instructions.
   *
   * @param goals whose instructions may be looked at
   */
  default List<String> vocabularyText(List<Item> items, List<Goal> goals) {
    List<String> text = new ArrayList<>(phrases());
    text.addAll(ShopWords.text(items, goals));
    return text;
  }

  /**
   * WebShop's own text. Actions are normalized as {@link ShopWords#normalizeAction} does, or taken
   * to the letter if the shop behaves as the original.
   *
   * @param rich whether buttons are marked, and which were clicked
   */
  record Plain(boolean rich, boolean original) implements Dialogue {
    @Override
    public String page(Session session) {
      return rich ? session.page().richText() : session.page().text();
    }

    @Override
    public String toShop(Session session, String written) {
      return original ? written : Dialogue.super.toShop(session, written);
    }
  }

  /**
   * In RAGEN's manner: WebShop's text and then every action that the page allows. RAGEN also gives
   * advice on how to shop there; this does not.
   */
  record Ragen() implements Dialogue {
    private static final List<String> PAST_THE_END =
        List.of(Label.BACK_TO_SEARCH.clicked(), Label.PREVIOUS.clicked(), Label.NEXT.clicked());

    @Override
    public String page(Session session) {
      Page page = session.page();
      List<String> clickables =
          page.clickables().keySet().stream().filter(text -> !text.equals("search")).toList();
      boolean end = clickables.equals(PAST_THE_END);
      String actions =
          clickables.stream()
              .filter(text -> !(end && text.equals(Label.NEXT.clicked())))
              .map(text -> "click[" + text + "]")
              .collect(Collectors.joining(", "));
      String search = page.searchBar() ? "search[<content>]" : "";
      return page.text() + ".\nAvailable actions: " + search + actions + ".";
    }
  }
}
