package org.vstar.spark.warmstart;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.imitation.FineTuning;
import org.vstar.model.imitation.Imitation;
import org.vstar.model.imitation.ImitationConfig;
import org.vstar.model.imitation.Minibatches;
import org.vstar.model.policy.Policy;
import org.vstar.model.train.Checkpoint;
import org.vstar.model.weights.NamedTensors;

/**
 * Replicas of a policy train on executors, a task each. After every round the driver averages their
 * parameters and moments in the order of the replicas, so that the policy does not depend on how
 * many executors there are, nor on which ends first.
 */
final class ReplicaImitation implements Imitation {

  /** What replicas begin a round with. */
  private record State(
      ModelConfig shape, int vocabulary, int step, NamedTensors weights, NamedTensors moments)
      implements Serializable {

    Engine open(String engine, EngineOptions options) {
      return EngineKind.of(engine).open(WeightSource.of(shape, vocabulary, weights), options);
    }
  }

  /** What a replica ends a round with. */
  private record Trained(double loss, NamedTensors weights, NamedTensors moments)
      implements Serializable {}

  private final JavaSparkContext sc = new JavaSparkContext(SparkContext.getOrCreate());
  private final Policy start;
  private final ImitationConfig config;
  private final Broadcast<Minibatches> minibatches;
  private State state;

  ReplicaImitation(Policy start, ImitationConfig config, Minibatches minibatches) {
    this.start = start;
    this.config = config;
    this.minibatches = sc.broadcast(minibatches);
    try (FineTuning fresh = new FineTuning(start.engine(), config.optimizer(), config.steps())) {
      Engine engine = start.engine();
      this.state =
          new State(
              engine.config(),
              engine.vocabulary(),
              0,
              NamedTensors.copyOf(engine.weights()),
              NamedTensors.copyOf(fresh.moments()));
    }
  }

  @Override
  public double round(int number) {
    Broadcast<State> shared = sc.broadcast(state);
    List<Trained> trained;
    try {
      trained = trained(shared, number);
    } finally {
      shared.destroy();
    }
    state =
        new State(
            state.shape,
            state.vocabulary,
            state.step + config.batchesPerRound(),
            NamedTensors.mean(trained.stream().map(Trained::weights).toList()),
            NamedTensors.mean(trained.stream().map(Trained::moments).toList()));
    return trained.stream().mapToDouble(Trained::loss).sum() / trained.size();
  }

  private List<Trained> trained(Broadcast<State> shared, int round) {
    ImitationConfig shipped = config;
    Broadcast<Minibatches> data = minibatches;
    sc.setJobDescription(
        "warm start: round " + (round + 1) + " of " + shipped.rounds() + ", imitate and average");
    try {
      return sc.parallelize(
              IntStream.range(0, shipped.replicas()).boxed().toList(), shipped.replicas())
          .map(replica -> trained(shared.value(), shipped, data.value(), round, replica))
          .collect();
    } finally {
      sc.setJobDescription(null);
    }
  }

  private static Trained trained(
      State from, ImitationConfig config, Minibatches minibatches, int round, int replica) {
    int count = config.batchesPerRound();
    try (Engine engine = from.open(config.engine(), config.options());
        FineTuning training = new FineTuning(engine, config.optimizer(), config.steps())) {
      training.restore(from.step, from.moments);
      double loss = training.round(minibatches, round, replica * count, count);
      return new Trained(
          loss, NamedTensors.copyOf(engine.weights()), NamedTensors.copyOf(training.moments()));
    }
  }

  @Override
  public Policy policy() {
    return policy(config.engine(), config.options());
  }

  private Policy policy(String engine, EngineOptions options) {
    return new Policy(state.open(engine, options), start.tokenizer(), start.chat());
  }

  @Override
  public Checkpoint checkpoint(Map<String, String> settings) {
    // An engine that holds nothing outside of Java's heap: nobody closes it.
    return new Checkpoint(
        policy(EngineKind.DEFAULT, EngineOptions.ONE_THREAD),
        state.moments,
        Checkpoint.State.ofImitation(state.step, config.steps(), settings));
  }

  @Override
  public void restore(Checkpoint checkpoint) {
    state =
        new State(
            state.shape,
            state.vocabulary,
            checkpoint.state().step(),
            state.weights,
            NamedTensors.copyOf(checkpoint.moments()));
  }

  @Override
  public void close() {
    minibatches.destroy();
  }
}
