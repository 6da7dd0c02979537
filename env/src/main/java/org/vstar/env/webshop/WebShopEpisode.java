package org.vstar.env.webshop;

import org.vstar.env.Episode;
import org.vstar.env.Outcome;

/**
 * A session as an episode. Unless it behaves as the original, {@code search words} means {@code
 * search[words]}, and {@code click x} alike.
 */
final class WebShopEpisode implements Episode {

  private final Session session;
  private final boolean original;
  private final double invalidAction;

  WebShopEpisode(Session session, boolean original, double invalidAction) {
    this.session = session;
    this.original = original;
    this.invalidAction = invalidAction;
  }

  @Override
  public String observation() {
    return session.page().text();
  }

  @Override
  public Outcome step(String action) {
    Session.Step step = session.step(original ? action : bracketed(action));
    boolean success = step.purchase() != null && step.purchase().success();
    double reward = step.valid() ? step.reward() : invalidAction;
    return new Outcome(reward, step.done(), success, step.valid(), event(step));
  }

  private static String bracketed(String action) {
    int space = action.indexOf(' ');
    boolean plain = space > 0 && action.indexOf('[') < 0;
    return plain ? action.substring(0, space) + "[" + action.substring(space + 1) + "]" : action;
  }

  private String event(Session.Step step) {
    if (!step.valid()) {
      return "invalid action";
    }
    String wanted = session.goal().item().asin();
    return switch (session.kind()) {
      case INDEX -> "back to search";
      case RESULTS -> session.shows(wanted) ? "helpful results" : "results";
      case ITEM, SUB_PAGE ->
          session.item().asin().equals(wanted) ? "helpful product page" : "other product page";
      case DONE -> purchase(step.purchase());
    };
  }

  /** The first thing that was wrong with a purchase. */
  private static String purchase(PurchaseReward.Parts parts) {
    if (parts.success()) {
      return "right purchase";
    } else if (parts.type() < 1) {
      return "wrong type";
    } else if (parts.options() < 1) {
      return "missed option";
    } else if (parts.attributes() < 1) {
      return "missed attribute";
    }
    return "over price";
  }
}
