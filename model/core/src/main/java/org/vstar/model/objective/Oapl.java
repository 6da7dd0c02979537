package org.vstar.model.objective;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.Optional;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.model.advantage.Advantage;
import org.vstar.model.advantage.AdvantageEstimator;
import org.vstar.model.advantage.Baselines;
import org.vstar.model.advantage.ValueBaseline;

/**
 * OAPL (arXiv 2602.19362): regression on stored samples, of whatever policy, with ln Z = V* / β and
 * β₁ = β.
 *
 * <pre>L = (β (ln π(y|x)/π_ref(y|x) + ln Z(x)) − r(x,y))²</pre>
 *
 * <p>which is A*-PO's regression with β₂ = β₁. The paper has two betas, and the sampler in place of
 * the reference policy: {@link AStarPoRegression} is that.
 *
 * @param beta β, above 0: NeMo RL 0.1; V* has to be measured with the same ({@code vstar.beta1})
 * @param averageLogProbs which log-probabilities are divided by the trajectory's length: {@code
 *     none}, the {@code policy}'s, or {@code both}
 * @param denominator which trajectories the mean is taken over: {@code all}, or those {@code kept},
 *     which have tokens and are not masked
 */
public record Oapl(
    @Default("0.1") double beta,
    @Default("none") Average averageLogProbs,
    @Default("all") Aggregation.Denominator denominator)
    implements Objective {

  /** Makes {@code oapl} known. */
  public static final class Kind implements ObjectiveKind {
    @Override
    public String kind() {
      return "oapl";
    }

    @Override
    public Class<Oapl> objective() {
      return Oapl.class;
    }
  }

  /** Which log-probabilities are divided by the trajectory's length. */
  public enum Average {
    /** None, as in the paper. */
    @JsonProperty("none")
    NONE,
    /** The policy's alone, as NeMo RL's code has it. */
    @JsonProperty("policy")
    POLICY,
    /** The policy's and the reference policy's. */
    @JsonProperty("both")
    BOTH;

    String word() {
      return this == NONE ? "none" : this == POLICY ? "policy" : "both";
    }
  }

  /** Checks the range. */
  public Oapl {
    InvalidInputException.require(beta > 0, "beta", beta, "more than 0");
  }

  @Override
  public String method() {
    return "OAPL";
  }

  @Override
  public AdvantageEstimator advantages(Baselines baselines) {
    return new ValueBaseline(baselines.values());
  }

  @Override
  public Optional<Double> beta1() {
    return Optional.of(beta);
  }

  @Override
  public boolean offPolicy() {
    return true;
  }

  @Override
  public Aggregation lossAggregation() {
    return Aggregation.ofTrajectories(denominator);
  }

  @Override
  public Loss loss(LogProbs logProbs, Advantage advantage) {
    int n = logProbs.length();
    double sumPi = 0;
    double sumRef = 0;
    for (int t = 0; t < n; t++) {
      sumPi += logProbs.pi()[t];
      sumRef += logProbs.ref()[t];
    }
    double scale = averageLogProbs == Average.NONE || n == 0 ? 1 : 1.0 / n;
    double scaleRef = averageLogProbs == Average.BOTH ? scale : 1;
    double residual = beta * (scale * sumPi - scaleRef * sumRef) - advantage.ofTrajectory();
    float[] gradient = new float[n];
    Arrays.fill(gradient, (float) (2 * beta * scale * residual));
    boolean counts = n > 0 || denominator == Aggregation.Denominator.ALL;
    double value = counts ? residual * residual : 0;
    return Loss.unclipped(value, advantage.ofTrajectory(), gradient, logProbs);
  }

  @Override
  public CanonicalJson canonical() {
    return CanonicalJson.of("oapl", 1)
        .with("beta", beta)
        .with("averageLogProbs", averageLogProbs.word())
        .with("denominator", denominator.word());
  }
}
