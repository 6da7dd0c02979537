package org.vstar.env.webshoplite;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;

/** One visit to the shop. */
final class WebShopLiteEpisode implements Episode {

  private static final Pattern ACTION =
      Pattern.compile("(search|click|buy)\\s+(\\S.*)", Pattern.DOTALL);
  private static final Pattern ID = Pattern.compile("\\d{1,9}");

  private final WebShopLiteEnvironment shop;
  private final Rewards rewards;
  private final Item target;

  private String observation;
  private int searches;
  private boolean shown;
  private boolean opened;
  private boolean over;

  WebShopLiteEpisode(WebShopLiteEnvironment shop, String prompt, Item target) {
    this.shop = shop;
    this.rewards = shop.rewards();
    this.target = target;
    this.observation = prompt;
  }

  @Override
  public String observation() {
    return observation;
  }

  @Override
  public Outcome step(String action) {
    if (over) {
      throw new IllegalStateException("the episode is over");
    }
    double penalty = searches >= rewards.freeSearches() ? rewards.stepPenalty() : 0;
    Matcher matcher = ACTION.matcher(action.strip().toLowerCase(Locale.ROOT));
    Outcome outcome = matcher.matches() ? act(matcher.group(1), matcher.group(2)) : invalid();
    over = outcome.done();
    return new Outcome(
        outcome.reward() + penalty,
        over,
        outcome.success(),
        outcome.valid(),
        outcome.event(),
        outcome.goalSeen(),
        outcome.parts());
  }

  private Outcome act(String verb, String argument) {
    if (verb.equals("search")) {
      return search(argument);
    }
    List<Item> products = shop.catalogue().products();
    if (!ID.matcher(argument).matches() || Integer.parseInt(argument) >= products.size()) {
      return invalid();
    }
    Item product = products.get(Integer.parseInt(argument));
    return verb.equals("click") ? click(product) : buy(product);
  }

  private Outcome search(String keywords) {
    List<Item> found = shop.catalogue().search(keywords);
    observation = WebShopLitePage.results(found);
    boolean helps =
        !shown && found.subList(0, Math.min(WebShopLitePage.SHOWN, found.size())).contains(target);
    double reward = helps ? rewards.helpfulSearch() * Math.pow(rewards.searchDecay(), searches) : 0;
    searches++;
    shown |= helps;
    return helps ? going(reward, "helpful search").withGoalSeen() : going(reward, "search");
  }

  private Outcome click(Item product) {
    observation = WebShopLitePage.item(product);
    if (!product.equals(target)) {
      return going(rewards.irrelevantClick(), "irrelevant click");
    }
    double reward = opened ? 0 : rewards.helpfulClick();
    opened = true;
    return going(reward, "helpful click").withGoalSeen();
  }

  private Outcome buy(Item product) {
    observation = WebShopLitePage.bought(product);
    boolean right = product.equals(target);
    return new Outcome(
        right ? rewards.correctBuy() : rewards.wrongBuy(),
        true,
        right,
        true,
        right ? "correct buy" : "wrong buy");
  }

  private Outcome invalid() {
    observation = WebShopLitePage.invalid();
    return new Outcome(rewards.invalidAction(), false, false, false, "invalid action");
  }

  private static Outcome going(double reward, String event) {
    return new Outcome(reward, false, false, true, event);
  }
}
