package org.vstar.model.train;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vstar.model.rollout.Trajectory;

/**
 * What one step of training did.
 *
 * @param step how many steps came before it
 */
public record StepReport(int step, Rollouts rollouts, Divergence divergence, Update update) {

  /**
   * The step's trajectories.
   *
   * @param episodeReturn mean return
   * @param vStar mean V* of their tasks
   * @param success share of trajectories that succeeded
   * @param turns mean turns
   * @param invalid share of turns that were no legal action
   * @param tokens that the agent wrote
   * @param seconds time of the rollouts
   */
  public record Rollouts(
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
   * @param kl mean over trajectories of ln π/π_ref, an estimate of KL(π‖π_ref) per trajectory
   * @param entropy mean of −ln π over the agent's tokens, an estimate of the entropy per token
   * @param logProbGap largest difference between a sampled and a scored log-probability; 0 for an
   *     engine that promises so
   */
  public record Divergence(double kl, double entropy, double logProbGap) {}

  /**
   * The optimizer's part.
   *
   * @param loss mean over trajectories
   * @param advantage mean of what weighed the trajectories
   * @param masked trajectories that did not train, because sampling and scoring differ too much
   * @param gradientNorm before clipping
   * @param learningRate of this step
   * @param skipped whether a loss or gradient was not finite, so that an update was left out
   * @param seconds time of scoring and updating
   */
  public record Update(
      double loss,
      double advantage,
      int masked,
      double gradientNorm,
      double learningRate,
      boolean skipped,
      double seconds) {}

  /** Rollouts and update together. */
  public double seconds() {
    return rollouts.seconds + update.seconds;
  }

  /** All but the step's number, by name: what metric sinks are given. */
  public Map<String, Double> scalars() {
    Map<String, Double> scalars = new LinkedHashMap<>();
    scalars.put("loss", update.loss);
    scalars.put("return", rollouts.episodeReturn);
    scalars.put("v_star", rollouts.vStar);
    scalars.put("advantage", update.advantage);
    scalars.put("success", rollouts.success);
    scalars.put("turns", rollouts.turns);
    scalars.put("invalid", rollouts.invalid);
    scalars.put("kl", divergence.kl);
    scalars.put("entropy", divergence.entropy);
    scalars.put("log_prob_gap", divergence.logProbGap);
    scalars.put("masked", (double) update.masked);
    scalars.put("gradient_norm", update.gradientNorm);
    scalars.put("learning_rate", update.learningRate);
    scalars.put("tokens", (double) rollouts.tokens);
    scalars.put("skipped", update.skipped ? 1.0 : 0.0);
    scalars.put("rollout_seconds", rollouts.seconds);
    scalars.put("update_seconds", update.seconds);
    return scalars;
  }
}
