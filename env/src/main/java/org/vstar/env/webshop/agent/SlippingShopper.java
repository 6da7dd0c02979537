package org.vstar.env.webshop.agent;

import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.Turn;

/**
 * A shopper that now and then does something useless: what is not possible, a search for a few
 * words, a product that it did not mean. Then it is itself again. A policy that saw only faultless
 * episodes would not know what to do after an error of its own.
 *
 * <p>It remembers its slips, so each episode needs one of its own.
 */
public final class SlippingShopper implements Agent {

  /** A slip, and opening or searching again, must leave turns enough. */
  private static final int TURNS_TO_SPARE = 9;

  private final Agent shopper;
  private final double rate;
  private final int maxTurns;
  private final BitSet slips = new BitSet();

  /**
   * A shopper that errs.
   *
   * @param shopper the one that errs; it must find its way from any page
   * @param rate the probability of a slip in a turn
   */
  public SlippingShopper(Agent shopper, double rate, int maxTurns) {
    this.shopper = shopper;
    this.rate = rate;
    this.maxTurns = maxTurns;
  }

  /** The episode that it played, with its slips marked. */
  public List<Turn> marked(List<Turn> turns) {
    return IntStream.range(0, turns.size())
        .mapToObj(
            i ->
                new Turn(
                    turns.get(i).observation(),
                    turns.get(i).answer(),
                    turns.get(i).outcome(),
                    slips.get(i)))
        .toList();
  }

  @Override
  public Answer answer(List<Turn> history, String observation, SplittableRandom random) {
    int turn = history.size();
    if (maxTurns - turn >= TURNS_TO_SPARE && random.nextDouble() < rate) {
      slips.set(turn);
      return slip(ParsedPage.of(observation), random);
    }
    return shopper.answer(history, observation, random);
  }

  private static Answer slip(ParsedPage page, SplittableRandom random) {
    List<String> words = List.of(page.instruction().split(" "));
    String word = words.get(random.nextInt(words.size()));
    List<String> products = page.isResults() ? page.products() : List.of();
    int kind = random.nextInt(3);
    if (kind == 0 && !products.isEmpty()) {
      return new Answer("", "click[" + products.get(random.nextInt(products.size())) + "]");
    } else if (kind == 1) {
      return new Answer("", "search[" + word.replaceAll("[\\[\\]]", "") + "]");
    }
    return new Answer("", "click[no " + word.replaceAll("[\\[\\]]", "") + "]");
  }
}
