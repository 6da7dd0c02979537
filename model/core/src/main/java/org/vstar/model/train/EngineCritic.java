package org.vstar.model.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
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

  /** The sequences of trajectories, and where the values of each stand in its trajectory's. */
  private record Asked(List<Sequence> sequences, List<int[]> places) {

    static Asked of(List<ScoredTrajectory> step) {
      Asked asked = new Asked(new ArrayList<>(), new ArrayList<>());
      for (int i = 0; i < step.size(); i++) {
        int from = 0;
        for (Sequence written : step.get(i).trajectory().sequences()) {
          asked.sequences.add(asking(written));
          asked.places.add(new int[] {i, from});
          from += written.agentTokens();
        }
      }
      return asked;
    }
  }

  private double range() {
    return config.high() - config.low();
  }

  @Override
  public double[][] values(List<ScoredTrajectory> step) {
    Asked asked = Asked.of(step);
    float[][] logProbabilities = scorer.logProbabilities(asked.sequences);
    double[][] values = new double[step.size()][];
    Arrays.setAll(values, i -> new double[step.get(i).old().length]);
    for (int s = 0; s < logProbabilities.length; s++) {
      int[] place = asked.places.get(s);
      for (int t = 0; t < logProbabilities[s].length; t++) {
        values[place[0]][place[1] + t] = config.low() + range() * Math.exp(logProbabilities[s][t]);
      }
    }
    return values;
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
    int n = step.size();
    int[] tokens = step.stream().mapToInt(own -> own.old().length).toArray();
    boolean[] masked = new boolean[n];
    for (int i = 0; i < n; i++) {
      masked[i] = step.get(i).masked();
    }
    double divisor = config.loss().aggregation().divisor(tokens, masked);
    double loss = 0;
    double[][] gradients = new double[n][];
    for (int i = 0; i < n; i++) {
      ValueLoss.Loss own = config.loss().of(values[i], old[i], targets[i]);
      gradients[i] = masked[i] ? new double[tokens[i]] : own.gradient();
      loss += masked[i] ? 0 : own.value() / divisor;
    }
    gradient.clear();
    Asked asked = Asked.of(step);
    scorer.addGradient(
        asked.sequences,
        (s, logPi) -> {
          int[] place = asked.places.get(s);
          float[] own = new float[logPi.length];
          for (int t = 0; t < own.length; t++) {
            // dV / d ln p = (high − low) p
            double ofValue = gradients[place[0]][place[1] + t] / divisor;
            own[t] = (float) (ofValue * range() * Math.exp(logPi[t]));
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
