package org.vstar.env.webshoplite;

import java.util.List;
import java.util.SplittableRandom;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.Turn;

/**
 * The shopper that the reference policy imitates. It knows that it should search for the full name
 * and buy what matches, but it has bad habits: it often searches for the last word of a long name
 * only. Where the results then lack the target, it searches again in vain or buys the first hit. A
 * name of two words it always types in full.
 *
 * <p>Its thought names the id that its action will name. A policy that imitates this learns sooner
 * to read ids off a page.
 *
 * @param rates how often it errs, in each way
 */
public record NoisyShopper(ErrorRates rates) implements Agent, java.io.Serializable {

  private static final int SHORT_NAME = 2;

  /**
   * Error rates, each a probability.
   *
   * @param badQuery a long name is searched by its last word instead of all
   * @param searchLoop after results without the target, another search instead of the first hit
   * @param wrongPurchase buys the first hit even though a matching one is visible (correct only if
   *     that is the first)
   * @param look the match is opened before it is bought (no error, but a detour)
   */
  public record ErrorRates(
      @Default("0.0") double badQuery,
      @Default("0.0") double searchLoop,
      @Default("0.0") double wrongPurchase,
      @Default("0.0") double look)
      implements java.io.Serializable {

    public ErrorRates {
      InvalidInputException.requireProbability("badQuery", badQuery);
      InvalidInputException.requireProbability("searchLoop", searchLoop);
      InvalidInputException.requireProbability("wrongPurchase", wrongPurchase);
      InvalidInputException.requireProbability("look", look);
    }
  }

  @Override
  public Answer answer(List<Turn> history, String observation, SplittableRandom random) {
    String wanted =
        WebShopLitePage.wanted(history.isEmpty() ? observation : history.get(0).observation());
    if (!history.isEmpty()
        && history.get(history.size() - 1).answer().action().startsWith("click")) {
      return new Answer(
          "this is it", history.get(history.size() - 1).answer().action().replace("click", "buy"));
    }
    List<WebShopLitePage.Hit> hits = WebShopLitePage.hits(observation);
    if (hits.isEmpty()) {
      return search(wanted, random);
    }
    int first = hits.get(0).id();
    Answer buyFirst = new Answer("buy the first hit " + first, "buy " + first);
    for (WebShopLitePage.Hit hit : hits) {
      if (hit.title().equalsIgnoreCase(wanted)) {
        if (random.nextDouble() < rates.wrongPurchase()) {
          return buyFirst;
        }
        return random.nextDouble() < rates.look()
            ? new Answer("look at the match " + hit.id(), "click " + hit.id())
            : new Answer("buy the match " + hit.id(), "buy " + hit.id());
      }
    }
    return random.nextDouble() < rates.searchLoop() ? search(wanted, random) : buyFirst;
  }

  private Answer search(String wanted, SplittableRandom random) {
    boolean longName = wanted.split(" ").length > SHORT_NAME;
    if (longName && random.nextDouble() < rates.badQuery()) {
      String lastWord = wanted.substring(wanted.lastIndexOf(' ') + 1);
      return new Answer("search one word", "search " + lastWord);
    }
    return new Answer("search the full name", "search " + wanted);
  }

  /** The one who never errs. */
  public static NoisyShopper expert() {
    return new NoisyShopper(new ErrorRates(0, 0, 0, 0));
  }
}
