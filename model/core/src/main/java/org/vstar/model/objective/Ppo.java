package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Optional;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.BiLevelAdvantage;
import org.vstar.model.advantage.CriticAdvantage;
import org.vstar.model.advantage.GeneralizedAdvantage;

/**
 * PPO (arXiv 1707.06347): one rollout of a task, generalised advantages against a critic that is
 * learned beside the policy, and a clipped ratio. With {@code levels: bi-level} advantages are
 * estimated over turns first, as in RAGEN.
 *
 * @param advantage how advantages of tokens are estimated
 * @param levels what advantages are estimated over: {@code token}s, or turns and then tokens
 *     ({@code bi-level})
 * @param highGamma discount between turns of {@code bi-level}, 0 to 1
 * @param turnEnds which tokens end a turn of {@code bi-level}: {@code turns}, or, as in RAGEN,
 *     {@code nonzero-reward}
 * @param ratio level of the ratio: {@code token} or {@code sequence-mean}
 * @param aggregation which means of losses are taken: {@code token-mean}, {@code
 *     seq-mean-token-mean}, {@code seq-mean-token-sum}, {@code seq-mean-token-sum-norm} or {@code
 *     seq-sum-token-sum-norm}
 * @param loss the loss of tokens
 * @param critic the critic
 */
public record Ppo(
    GeneralizedAdvantage advantage,
    @Default("token") Levels levels,
    @Default("0.95") double highGamma,
    @Default("turns") BiLevelAdvantage.TurnEnds turnEnds,
    @Default("token") Ratio ratio,
    @Default("token-mean") Aggregation.Mode aggregation,
    TokenLoss loss,
    @Default("{}") CriticConfig critic)
    implements TokenObjective {

  /** Makes {@code ppo} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "ppo";
    }

    @Override
    public Class<Ppo> objective() {
      return Ppo.class;
    }
  }

  /** What advantages are estimated over. */
  public enum Levels {
    /** Tokens. */
    @JsonProperty("token")
    TOKEN,
    /** Turns, and then the tokens of each. */
    @JsonProperty("bi-level")
    BI_LEVEL;

    String word() {
      return this == TOKEN ? "token" : "bi-level";
    }
  }

  /** Checks the ranges of both levels. */
  public Ppo {
    biLevel(advantage, highGamma, turnEnds);
    loss.requireFitsTokens(ratio, aggregation);
  }

  private static BiLevelAdvantage biLevel(
      GeneralizedAdvantage own, double highGamma, BiLevelAdvantage.TurnEnds turnEnds) {
    return new BiLevelAdvantage(own.gamma(), own.lambda(), highGamma, own.whiten(), turnEnds);
  }

  @Override
  public String method() {
    return "PPO";
  }

  @Override
  public Optional<CriticConfig> criticConfig() {
    return Optional.of(critic);
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return new CriticAdvantage(
        baselines.critic().orElseThrow(),
        advantage,
        Optional.of(levels)
            .filter(Levels.BI_LEVEL::equals)
            .map(bi -> biLevel(advantage, highGamma, turnEnds)));
  }

  @Override
  public boolean readsReference() {
    return loss.readsReference() || advantage.rewardKlWeight() > 0;
  }

  @Override
  public CanonicalJson own() {
    return CanonicalJson.of("ppo", 1)
        .with("advantage", advantage.canonical())
        .with("levels", levels.word())
        .with("highGamma", highGamma)
        .with("turnEnds", turnEnds.word())
        .with("critic", critic.canonical());
  }
}
