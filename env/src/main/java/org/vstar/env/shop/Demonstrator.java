package org.vstar.env.shop;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.SplittableRandom;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.InputError;
import org.vstar.env.Turn;

/**
 * A shopper with a habit. Right would be to search the full name and buy what matches; the habit is
 * to search a long name by its last word, and what that does not show is looked for again in vain
 * or replaced by the first hit. Only a name of two words is always typed whole.
 *
 * <p>A thought names the id that the action will: so imitation learns sooner to read ids off a
 * page.
 *
 * @param rates how often it errs, in each way
 */
public record Demonstrator(Rates rates) implements Agent, java.io.Serializable {

  private static final int SHORT_NAME = 2;

  /**
   * Error rates, each a probability.
   *
   * @param badQuery a long name is searched by its last word instead of all
   * @param searchLoop after results without the target, another search instead of the first hit
   * @param wrongPurchase the first hit is bought although a visible one matches (right only if that
   *     is the first)
   * @param look the match is opened before it is bought (no error, but a detour)
   */
  public record Rates(
      @JsonProperty(required = true) double badQuery,
      @JsonProperty(required = true) double searchLoop,
      @JsonProperty(required = true) double wrongPurchase,
      @JsonProperty(required = true) double look)
      implements java.io.Serializable {

    public Rates {
      InputError.requireProbability("badQuery", badQuery);
      InputError.requireProbability("searchLoop", searchLoop);
      InputError.requireProbability("wrongPurchase", wrongPurchase);
      InputError.requireProbability("look", look);
    }
  }

  @Override
  public Answer answer(List<Turn> history, String observation, SplittableRandom random) {
    String wanted = ShopPage.wanted(history.isEmpty() ? observation : history.get(0).observation());
    if (!history.isEmpty()
        && history.get(history.size() - 1).answer().action().startsWith("click")) {
      return new Answer(
          "this is it", history.get(history.size() - 1).answer().action().replace("click", "buy"));
    }
    List<ShopPage.Hit> hits = ShopPage.hits(observation);
    if (hits.isEmpty()) {
      return search(wanted, random);
    }
    int first = hits.get(0).id();
    Answer buyFirst = new Answer("buy the first hit " + first, "buy " + first);
    for (ShopPage.Hit hit : hits) {
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
  public static Demonstrator expert() {
    return new Demonstrator(new Rates(0, 0, 0, 0));
  }
}
