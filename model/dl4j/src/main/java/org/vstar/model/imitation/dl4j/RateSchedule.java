package org.vstar.model.imitation.dl4j;

import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.vstar.model.engine.OptimizerConfig;

/** {@link OptimizerConfig#rate} as DL4J wants it. */
final class RateSchedule implements ISchedule {

  private static final long serialVersionUID = 1L;

  @JsonProperty private double learningRate;
  @JsonProperty private int warmupSteps;
  @JsonProperty private double finalFraction;
  @JsonProperty private int steps;

  /** For DL4J, which reads and copies configurations as JSON. */
  RateSchedule() {}

  RateSchedule(OptimizerConfig optimizer, int steps) {
    this.learningRate = optimizer.learningRate();
    this.warmupSteps = optimizer.warmupSteps();
    this.finalFraction = optimizer.finalFraction();
    this.steps = steps;
  }

  @Override
  public double valueAt(int iteration, int epoch) {
    return OptimizerConfig.scheduledRate(
        learningRate, warmupSteps, finalFraction, iteration, steps);
  }

  @Override
  public ISchedule clone() {
    RateSchedule copy = new RateSchedule();
    copy.learningRate = learningRate;
    copy.warmupSteps = warmupSteps;
    copy.finalFraction = finalFraction;
    copy.steps = steps;
    return copy;
  }
}
