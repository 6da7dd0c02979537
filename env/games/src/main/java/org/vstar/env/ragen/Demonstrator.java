package org.vstar.env.ragen;

import java.io.Serializable;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;

/**
 * The player whom the reference policy imitates: a search, with bad habits.
 *
 * @param careful share of episodes without errors
 * @param stray probability, in other episodes, that an action is a random one
 * @param greedy probability, in other episodes, that an action is the one of the simple rule
 * @param unknown probability, in other episodes, that an answer names an action that there is not
 */
public record Demonstrator(
    @Default("0.5") double careful,
    @Default("0.3") double stray,
    @Default("0.3") double greedy,
    @Default("0.05") double unknown)
    implements Serializable {

  /** Makes no errors. */
  static final Demonstrator EXPERT = new Demonstrator(1, 0, 0, 0);

  /** Checks the ranges. */
  public Demonstrator {
    InvalidInputException.requireProbability("environment.demonstrator.careful", careful);
    InvalidInputException.requireProbability("environment.demonstrator.stray", stray);
    InvalidInputException.requireProbability("environment.demonstrator.greedy", greedy);
    InvalidInputException.requireProbability("environment.demonstrator.unknown", unknown);
    InvalidInputException.require(
        stray + greedy <= 1,
        "environment.demonstrator.stray",
        stray,
        "at most 1 with environment.demonstrator.greedy, which is " + greedy);
  }
}
