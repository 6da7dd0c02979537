package org.vstar.model.train;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.env.InputError;
import org.vstar.model.objective.Advantage;
import org.vstar.model.objective.Objective;
import org.vstar.model.objective.Regression;

/**
 * The online loop.
 *
 * @param objective {@code regression} (as published) or {@code advantage}
 * @param beta2 weight of ln π/π_ref in either objective
 * @param klWeight λ of {@code advantage}
 * @param clamp bound of the advantage in {@code advantage}
 * @param steps updates
 * @param tasksPerStep rollouts of an update, one per task
 * @param evaluateEvery updates between evaluations on test tasks
 * @param evaluateTasks how many test tasks such an evaluation takes, greedily
 * @param checkpointEvery updates between checkpoints
 * @param microBatchTokens tokens that go through the model at once
 * @param slots episodes that run side by side in a thread
 * @param threads threads; results do not depend on them
 * @param optimizer AdamW and its schedule
 */
public record TrainConfig(
    @JsonProperty(required = true) Kind objective,
    @JsonProperty(required = true) double beta2,
    @JsonProperty(required = true) double klWeight,
    @JsonProperty(required = true) double clamp,
    @JsonProperty(required = true) int steps,
    @JsonProperty(required = true) int tasksPerStep,
    @JsonProperty(required = true) int evaluateEvery,
    @JsonProperty(required = true) int evaluateTasks,
    @JsonProperty(required = true) int checkpointEvery,
    @JsonProperty(required = true) int microBatchTokens,
    @JsonProperty(required = true) int slots,
    @JsonProperty(required = true) int threads,
    @JsonProperty(required = true) OptimizerConfig optimizer) {

  /** The objectives there are. */
  public enum Kind {
    @JsonProperty("regression")
    REGRESSION,
    @JsonProperty("advantage")
    ADVANTAGE
  }

  public TrainConfig {
    atLeastOne("steps", steps);
    atLeastOne("tasksPerStep", tasksPerStep);
    atLeastOne("evaluateEvery", evaluateEvery);
    atLeastOne("evaluateTasks", evaluateTasks);
    atLeastOne("checkpointEvery", checkpointEvery);
    atLeastOne("microBatchTokens", microBatchTokens);
    atLeastOne("slots", slots);
    atLeastOne("threads", threads);
    objective(objective, beta2, klWeight, clamp);
  }

  private static void atLeastOne(String key, int value) {
    InputError.require(value > 0, "train." + key, value, "at least 1");
  }

  private static Objective objective(Kind kind, double beta2, double klWeight, double clamp) {
    return switch (kind) {
      case REGRESSION -> new Regression(beta2);
      case ADVANTAGE -> new Advantage(beta2, klWeight, clamp);
    };
  }

  /** The loss to train with. */
  public Objective loss() {
    return objective(objective, beta2, klWeight, clamp);
  }
}
