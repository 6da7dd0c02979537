package org.vstar.env.webshop.agent;

import java.util.List;
import java.util.SplittableRandom;
import org.vstar.env.Answer;

/**
 * A script that shops: it sees the parts of a page, and acts in the shop's own language, {@code
 * search[…]} and {@code click[…]}. {@link TranslatedAgent} plays it in any dialogue.
 */
@FunctionalInterface
public interface Shopper {

  /**
   * An earlier turn of an episode.
   *
   * @param page what it saw
   * @param answer what it did
   * @param valid whether the shop could do it
   */
  record Visit(ShopPage page, Answer answer, boolean valid) {

    /** Whether it has opened a product of a results page. */
    boolean opensProduct() {
      return valid && answer.action().startsWith("click[") && page.result(argument()).isPresent();
    }

    /** What was searched for or clicked. */
    String argument() {
      String action = answer.action();
      return action.substring(action.indexOf('[') + 1, action.length() - 1);
    }
  }

  /**
   * Answers a page.
   *
   * @param history the earlier turns of the episode
   * @param page what is to be answered
   * @param random the episode's own source of chance
   */
  Answer answer(List<Visit> history, ShopPage page, SplittableRandom random);
}
