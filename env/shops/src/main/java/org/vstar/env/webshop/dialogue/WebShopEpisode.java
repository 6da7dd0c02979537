package org.vstar.env.webshop.dialogue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.webshop.reward.PurchaseReward;
import org.vstar.env.webshop.reward.RewardWeights;
import org.vstar.env.webshop.simulator.Session;

/** A session as an episode, in the words of a dialogue, which a rewording may replace. */
public final class WebShopEpisode implements Episode {

  /** What WebShop calls the reward of a purchase. */
  private static final String SCORE = "score";

  private final Session session;
  private final Dialogue dialogue;
  private final RewardWeights weights;
  private final Rewording words;
  private final List<Dialogue.PastTurn> pastTurns = new ArrayList<>();
  private String observation;

  /** Opens an episode on a session that has just begun. */
  public WebShopEpisode(
      Session session, Dialogue dialogue, RewardWeights weights, Rewording words) {
    this.session = session;
    this.dialogue = dialogue;
    this.weights = weights;
    this.words = words;
    this.observation = words.substituted(dialogue.observation(session, pastTurns));
  }

  /** How it talks. */
  public Dialogue dialogue() {
    return dialogue;
  }

  /** How what the agent reads and writes differs from the shop's own text. */
  public Rewording words() {
    return words;
  }

  /** The session behind it. */
  public Session session() {
    return session;
  }

  @Override
  public String observation() {
    return observation;
  }

  @Override
  public Outcome step(String action) {
    String place = session.url();
    String page = dialogue.page(session);
    String own = words.restored(action);
    Session.Step step = session.step(dialogue.toShop(session, own));
    pastTurns.add(new Dialogue.PastTurn(place, page, own, step.valid()));
    observation = words.substituted(dialogue.observation(session, pastTurns));
    boolean success = step.purchase() != null && step.purchase().success();
    double reward = weights.of(step.valid(), step.purchase());
    return new Outcome(
        reward,
        step.done(),
        success,
        step.valid(),
        event(step),
        step.valid() && goalSeen(),
        parts(step.purchase()));
  }

  private String event(Session.Step step) {
    if (!step.valid()) {
      return "invalid action";
    }
    return switch (session.kind()) {
      case INDEX -> "back to search";
      case RESULTS -> goalSeen() ? "helpful results" : "results";
      case ITEM, SUB_PAGE -> goalSeen() ? "helpful product page" : "other product page";
      case DONE -> purchase(step.purchase());
    };
  }

  /** Whether the page has the wanted product. */
  private boolean goalSeen() {
    String wanted = session.goal().item().asin();
    return switch (session.kind()) {
      case RESULTS -> session.shows(wanted);
      case ITEM, SUB_PAGE -> session.item().asin().equals(wanted);
      case INDEX, DONE -> false;
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

  /** Who has not bought has a score too: 0. */
  private static Map<String, Double> parts(PurchaseReward.Parts purchase) {
    if (purchase == null) {
      return Map.of(SCORE, 0.0);
    }
    Map<String, Double> parts = new LinkedHashMap<>();
    parts.put("type", purchase.type());
    parts.put("attributes", purchase.attributes());
    if (!Double.isNaN(purchase.options())) {
      parts.put("options", purchase.options());
    }
    parts.put("price", purchase.price() ? 1.0 : 0.0);
    parts.put(SCORE, purchase.total());
    return Collections.unmodifiableMap(parts);
  }
}
