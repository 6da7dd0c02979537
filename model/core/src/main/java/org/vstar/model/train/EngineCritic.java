package org.vstar.model.train;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.vstar.model.advantage.Critic;
import org.vstar.model.advantage.ScoredTrajectory;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.objective.CriticConfig;
import org.vstar.model.objective.ValueLoss;

/** A critic on any engine: {@link CriticConfig} says how its values are read off. */
final class EngineCritic implements Critic, AutoCloseable {

  /** The value is read off the first of these tokens, among the two. */
  private static final int HIGH = 0;

  private static final int LOW = 1;

  private final Engine engine;
  private final CriticConfig config;
  private final OptimizerConfig settings;
  private final Scorer scorer;
  private final Gradient gradient;
  private final Optimizer optimizer;

  /**
   * A critic that has learned nothing yet.
   *
   * @param engine its model, which it trains and closes
   */
  EngineCritic(Engine engine, CriticConfig config, OptimizerConfig optimizer) {
    this.engine = engine;
    this.config = config;
    this.settings = optimizer;
    this.scorer = engine.scorer(1);
    this.gradient = engine.gradient();
    this.optimizer = engine.optimizer(optimizer);
  }

  Engine engine() {
    return engine;
  }

  Optimizer optimizer() {
    return optimizer;
  }

  /** A sequence that asks for the value's token in place of each that the agent wrote. */
  private static Sequence asking(Sequence written) {
    BitSet two = new BitSet();
    two.set(HIGH);
    two.set(LOW);
    int[] targets = new int[written.agentTokens()];
    Arrays.fill(targets, HIGH);
    return new Sequence(
        written.tokens(), written.agent(), Collections.nCopies(targets.length, two), targets);
  }

  private static TrajectoryBatch asking(List<ScoredTrajectory> step) {
    return TrajectoryBatch.of(
        step.stream().map(ScoredTrajectory::trajectory).toList(), EngineCritic::asking);
  }

  private double range() {
    return config.high() - config.low();
  }

  @Override
  public double[][] values(List<ScoredTrajectory> step) {
    return Arrays.stream(asking(step).logProbabilities(scorer))
        .map(
            row ->
                IntStream.range(0, row.length)
                    .mapToDouble(t -> config.low() + range() * Math.exp(row[t]))
                    .toArray())
        .toArray(double[][]::new);
  }

  @Override
  public double learn(List<ScoredTrajectory> step, double[][] old, double[][] targets) {
    double first = Double.NaN;
    for (int epoch = 0; epoch < config.epochs(); epoch++) {
      double[][] values = epoch == 0 ? old : values(step);
      double loss = update(step, values, old, targets);
      if (!Double.isFinite(loss)) {
        return loss;
      }
      first = epoch == 0 ? loss : first;
    }
    return first;
  }

  /** One update; gives the loss before it. */
  private double update(
      List<ScoredTrajectory> step, double[][] values, double[][] old, double[][] targets) {
    boolean[] masked = ScoredTrajectory.masked(step);
    double divisor = config.loss().aggregation().divisor(ScoredTrajectory.tokens(step), masked);
    double loss = 0;
    double[][] gradients = new double[masked.length][];
    for (int i = 0; i < masked.length; i++) {
      ValueLoss.Loss own = config.loss().of(values[i], old[i], targets[i]);
      gradients[i] = masked[i] ? new double[values[i].length] : own.gradient();
      loss += masked[i] ? 0 : own.value() / divisor;
    }
    gradient.clear();
    asking(step)
        .addGradient(
            scorer,
            (i, logPi) -> {
              float[] own = new float[logPi.length];
              for (int t = 0; t < own.length; t++) {
                // dV / d ln p = (high − low) p
                own[t] = (float) (gradients[i][t] / divisor * range() * Math.exp(logPi[t]));
              }
              return own;
            },
            gradient);
    double norm = gradient.norm();
    if (!Double.isFinite(loss) || !Double.isFinite(norm)) {
      return Double.NaN;
    }
    if (norm > settings.clipNorm()) {
      gradient.scale(settings.clipNorm() / norm);
    }
    optimizer.step(gradient, config.learningRate());
    return loss;
  }

  @Override
  public void close() {
    scorer.close();
    gradient.close();
    optimizer.close();
    engine.close();
  }
}
