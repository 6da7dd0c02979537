package org.vstar.model.train;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.vstar.model.rollout.Trajectory;

/**
 * What one step of training did.
 *
 * @param step how many steps came before it
 * @param ofAdvantages what the advantage estimator tells, a critic's loss for one, by name
 */
public record StepReport(
    int step,
    Rollouts rollouts,
    Divergence divergence,
    Update update,
    Map<String, Double> ofAdvantages) {

  /**
   * The step's trajectories.
   *
   * @param count how many were played
   * @param episodeReturn mean return
   * @param vStar mean V* of their tasks; NaN where nobody has measured it
   * @param success share of trajectories that succeeded
   * @param turns mean turns
   * @param invalid share of turns that were no legal action
   * @param tokens that the agent wrote
   * @param seconds time of the rollouts
   */
  public record Rollouts(
      int count,
      double episodeReturn,
      double vStar,
      double success,
      double turns,
      double invalid,
      int tokens,
      double seconds) {

    static Rollouts of(List<Trajectory> trajectories, Map<String, Double> vStar, double seconds) {
      double n = trajectories.size();
      double turns = trajectories.stream().mapToDouble(t -> t.turns().size()).sum();
      double invalid =
          trajectories.stream()
              .flatMap(t -> t.turns().stream())
              .filter(t -> !t.outcome().valid())
              .count();
      return new Rollouts(
          trajectories.size(),
          trajectories.stream().mapToDouble(Trajectory::episodeReturn).sum() / n,
          trajectories.stream().mapToDouble(t -> vStar.get(t.task().id())).sum() / n,
          trajectories.stream().filter(Trajectory::success).count() / n,
          turns / n,
          invalid / turns,
          trajectories.stream().mapToInt(Trajectory::agentTokens).sum(),
          seconds);
    }
  }

  /**
   * How far the policy is from the reference, from a uniform one, and from the one that sampled.
   *
   * @param kl mean over trajectories that are not masked of ln π/π_ref, an estimate of KL(π‖π_ref)
   *     per trajectory, or, for stored trajectories, of ln π_ref/π, an estimate of KL(π_ref‖π); NaN
   *     where the objective does not look at the reference policy
   * @param entropy mean of −ln π over the agent's tokens, an estimate of the entropy per token
   * @param logProbGap largest difference between a sampled and a scored log-probability; 0 for an
   *     engine that promises so; NaN where another policy sampled
   */
  public record Divergence(double kl, double entropy, double logProbGap) {

    /** That of the first pass over the trajectories. */
    static Divergence of(PolicyUpdate.Losses losses, boolean readsReference) {
      List<StepLoss> pass = losses.firstPass();
      double tokens = pass.stream().mapToInt(StepLoss::tokens).sum();
      int kept = pass.stream().mapToInt(own -> own.size() - own.countMasked()).sum();
      return new Divergence(
          readsReference ? sum(pass, StepLoss::sumOfLogRatios) / Math.max(1, kept) : Double.NaN,
          -sum(pass, StepLoss::sumOfLogPi) / Math.max(1, tokens),
          pass.stream().mapToDouble(StepLoss::largestGap).max().orElse(0));
    }
  }

  private static double sum(List<StepLoss> losses, ToDoubleFunction<StepLoss> of) {
    return losses.stream().mapToDouble(of).sum();
  }

  /** Over trajectories; 0 of none. */
  private static double mean(List<StepLoss> losses, ToDoubleFunction<StepLoss> of) {
    return sum(losses, of) / Math.max(1, losses.stream().mapToInt(StepLoss::size).sum());
  }

  /**
   * The optimizer's part.
   *
   * @param loss as the objective aggregates it, without what is masked
   * @param advantage mean of what weighed the trajectories
   * @param masked trajectories that did not train, because sampling and scoring differ too much
   * @param clipped share of the tokens whose ratio is clipped, in all updates of the step
   * @param dualClipped share of the tokens whose loss is clipped from above, in all updates
   * @param approxKl mean of ln π_old/π over tokens and updates
   * @param gradientNorm before clipping, of the step's first update
   * @param learningRate of this step
   * @param skipped whether an update was left out: a loss or gradient was not finite, or dynamic
   *     sampling found no group whose returns differ
   * @param seconds time of scoring and updating
   */
  public record Update(
      double loss,
      double advantage,
      int masked,
      double clipped,
      double dualClipped,
      double approxKl,
      double gradientNorm,
      double learningRate,
      boolean skipped,
      double seconds) {

    static Update of(PolicyUpdate.Losses losses, double rate, boolean skipped, double seconds) {
      List<StepLoss> pass = losses.firstPass();
      List<StepLoss> all = losses.each();
      double tokens = Math.max(1, all.stream().mapToInt(StepLoss::tokens).sum());
      return new Update(
          pass.stream().mapToDouble(StepLoss::loss).average().orElse(0),
          mean(pass, StepLoss::sumOfAdvantages),
          pass.stream().mapToInt(StepLoss::countMasked).sum(),
          all.stream().mapToInt(StepLoss::sumOfClipped).sum() / tokens,
          all.stream().mapToInt(StepLoss::sumOfDualClipped).sum() / tokens,
          sum(all, StepLoss::sumOfApproxKl) / tokens,
          all.isEmpty() ? 0 : all.get(0).norm(),
          rate,
          skipped,
          seconds);
    }
  }

  /**
   * The same of trajectories of the reference policy. Their mean of ln π/π_ref is −KL(π_ref‖π), and
   * their probabilities say nothing of the engine.
   */
  StepReport ofStoredTrajectories() {
    Divergence without = new Divergence(-divergence.kl, divergence.entropy, Double.NaN);
    return new StepReport(step, rollouts, without, update, ofAdvantages);
  }

  /** Rollouts and update together. */
  public double seconds() {
    return rollouts.seconds + update.seconds;
  }

  /** All but the step's number, by name: what metric sinks are given. */
  public Map<String, Double> scalars() {
    Map<String, Double> scalars = new LinkedHashMap<>();
    scalars.put("loss", update.loss);
    scalars.put("return", rollouts.episodeReturn);
    if (!Double.isNaN(rollouts.vStar)) {
      scalars.put("v_star", rollouts.vStar);
    }
    scalars.put("advantage", update.advantage);
    scalars.put("success", rollouts.success);
    scalars.put("turns", rollouts.turns);
    scalars.put("invalid", rollouts.invalid);
    if (!Double.isNaN(divergence.kl)) {
      scalars.put("kl", divergence.kl);
    }
    scalars.put("entropy", divergence.entropy);
    if (!Double.isNaN(divergence.logProbGap)) {
      scalars.put("log_prob_gap", divergence.logProbGap);
    }
    scalars.put("masked", (double) update.masked);
    scalars.put("clipped", update.clipped);
    scalars.put("dual_clipped", update.dualClipped);
    scalars.put("approx_kl", update.approxKl);
    scalars.put("gradient_norm", update.gradientNorm);
    scalars.put("learning_rate", update.learningRate);
    scalars.put("tokens", (double) rollouts.tokens);
    scalars.put("skipped", update.skipped ? 1.0 : 0.0);
    scalars.putAll(ofAdvantages);
    scalars.put("rollouts", (double) rollouts.count);
    scalars.put("rollout_seconds", rollouts.seconds);
    scalars.put("update_seconds", update.seconds);
    return scalars;
  }
}
