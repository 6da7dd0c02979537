package org.vstar.model.policy;

import java.io.Serializable;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;

/**
 * Beam search for the tokens of an answer, by the policy's own probabilities: those of temperature
 * 1, whatever {@code sampling.temperature} says. So many episodes run side by side that their beams
 * are about as many as {@code evaluate.slots}.
 *
 * @param width answers that are kept at each token, at least 2
 * @param lengthPenalty α: finished answers of n tokens are compared by Σ ln π / n^α. 0 or more; 0
 *     compares their probabilities, which favours short ones
 * @param margin an unfinished answer is dropped when its Σ ln π is this much below the best
 *     unfinished one, in nats, more than 0
 */
public record BeamConfig(
    @Default("4") int width, @Default("1.0") double lengthPenalty, @Default("10.0") double margin)
    implements Serializable {

  /** Checks the ranges. */
  public BeamConfig {
    InvalidInputException.require(width > 1, "evaluate.beams.width", width, "at least 2");
    InvalidInputException.require(
        lengthPenalty >= 0, "evaluate.beams.lengthPenalty", lengthPenalty, "0 or more");
    InvalidInputException.require(margin > 0, "evaluate.beams.margin", margin, "more than 0");
  }

  /** What a finished answer is compared by. */
  public double score(double logProbability, int tokens) {
    return logProbability / Math.pow(tokens, lengthPenalty);
  }
}
