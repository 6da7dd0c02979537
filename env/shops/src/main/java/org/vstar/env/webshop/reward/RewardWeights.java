package org.vstar.env.webshop.reward;

import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;

/**
 * What an agent's turns are worth. The original's reward is the purchase's score alone: {@code
 * score: 1} and 0 for the rest. The last step to a right purchase is worth little there, 0.2 from
 * 0.8 to 1; a weight for success pays for it.
 *
 * @param success for a right purchase
 * @param score for a purchase, times its score of 0 to 1
 * @param turn for every turn; below 0, short episodes are worth more
 * @param invalidAction for what is not a possible action, beside {@code turn}
 */
public record RewardWeights(
    @Default("0.0") double success,
    @Default("1.0") double score,
    @Default("0.0") double turn,
    @Default("0.0") double invalidAction)
    implements Serializable {

  /** The original's. */
  public static final RewardWeights ORIGINAL = new RewardWeights(0, 1, 0, 0);

  /** Checks that all are numbers. */
  public RewardWeights {
    requireFinite("success", success);
    requireFinite("score", score);
    requireFinite("turn", turn);
    requireFinite("invalidAction", invalidAction);
  }

  private static void requireFinite(String key, double value) {
    InvalidInputException.require(Double.isFinite(value), key, value, "a finite number");
  }

  /**
   * The reward of one turn.
   *
   * @param valid whether its action was possible
   * @param purchase what was bought, or null
   */
  public double of(boolean valid, PurchaseReward.Parts purchase) {
    double reward = turn + (valid ? 0 : invalidAction);
    return purchase == null
        ? reward
        : reward + score * purchase.total() + (purchase.success() ? success : 0);
  }

  /** What fingerprints are taken of. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("webshop reward weights", 1)
        .with("success", success)
        .with("score", score)
        .with("turn", turn)
        .with("invalidAction", invalidAction);
  }
}
