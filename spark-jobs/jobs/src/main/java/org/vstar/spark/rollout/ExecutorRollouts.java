package org.vstar.spark.rollout;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.env.Environment;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.EpisodeFailure;
import org.vstar.model.rollout.Request;
import org.vstar.model.rollout.RetryPolicy;
import org.vstar.model.rollout.RolloutWorkers;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;

/**
 * Rollouts of training on executors. The driver writes the weights of each version into the run,
 * executors read them there, and trajectories come back. An executor that is lost costs time only:
 * Spark has its episodes played by another, to the same result.
 */
public final class ExecutorRollouts implements RolloutWorkers, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ExecutorRollouts.class);

  private static final String WEIGHTS = "/weights/";

  private final JavaSparkContext sc;
  private final RunStore store;
  private final PolicyVersions versions;
  private final Broadcast<Player> player;
  private int newest = -1;

  /**
   * What executors have, once for all steps.
   *
   * @param slots episodes side by side on an executor core
   */
  private record Player(
      Environment environment, int slots, RetryPolicy retryPolicy, PolicyVersions versions)
      implements Serializable {

    Share play(int version, SamplingConfig sampling, List<Request> requests) {
      return versions.with(
          version,
          policy ->
              Share.of(
                  new Rollouts(environment, policy, sampling, version, retryPolicy)
                      .play(requests, slots, 1)));
    }
  }

  /** What a share of the episodes came to. */
  private record Share(ArrayList<Trajectory> trajectories, ArrayList<EpisodeFailure> failures)
      implements Serializable {
    static Share of(Rollouts.Played played) {
      return new Share(new ArrayList<>(played.trajectories()), new ArrayList<>(played.failures()));
    }
  }

  /**
   * What weights are read with.
   *
   * @param training the training's folder in the store
   * @param base what is trained is an adapter of, or null
   * @param engine the kind of what runs it
   */
  public record Source(
      RunStore store, String training, StoredPolicy base, String engine, EngineOptions options) {}

  /**
   * Gives executors what all steps need. Weights that a killed job left are deleted; the caller
   * holds the training's lock.
   *
   * @param slots episodes side by side on an executor core
   * @param retryPolicy for failures of the environment
   */
  public ExecutorRollouts(
      SparkSession spark,
      Source source,
      Environment environment,
      int slots,
      RetryPolicy retryPolicy)
      throws IOException {
    this.sc = new JavaSparkContext(spark.sparkContext());
    this.store = source.store;
    for (String left : store.list(source.training + WEIGHTS)) {
      store.delete(left);
    }
    // Executors keep copies by name: those of another job's weights must not be taken for these.
    String folder = source.training + WEIGHTS + UUID.randomUUID().toString().substring(0, 8);
    this.versions = new PolicyVersions(store, folder, source.base, source.engine, source.options);
    this.player = sc.broadcast(new Player(environment, slots, retryPolicy, versions));
  }

  @Override
  public List<Trajectory> play(
      Policy policy, int version, SamplingConfig sampling, List<Request> requests) {
    if (version != newest) {
      publish(policy, version);
    }
    List<List<Request>> shares = shares(requests);
    Broadcast<Player> shared = player;
    sc.setJobDescription("policy after " + version + " steps: " + requests.size() + " rollouts");
    try {
      List<Trajectory> trajectories = new ArrayList<>();
      for (Share played :
          sc.parallelize(shares, shares.size())
              .map(share -> shared.value().play(version, sampling, share))
              .collect()) {
        if (!played.failures.isEmpty()) {
          throw new InvalidInputException(played.failures.get(0).toString());
        }
        trajectories.addAll(played.trajectories);
      }
      return trajectories;
    } finally {
      sc.setJobDescription(null);
    }
  }

  private void publish(Policy policy, int version) {
    try {
      PolicyFiles.write(policy, store, versions.name(version));
      if (newest >= 0) {
        delete(newest);
      }
      newest = version;
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(versions.name(version)), e);
    }
  }

  private void delete(int version) throws IOException {
    for (String file : store.list(versions.name(version) + "/")) {
      store.delete(file);
    }
  }

  /** In order and about as long; how many there are changes no result. */
  private List<List<Request>> shares(List<Request> requests) {
    int count = Math.min(requests.size(), Math.max(1, sc.defaultParallelism()));
    List<List<Request>> shares = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int from = (int) ((long) requests.size() * i / count);
      int end = (int) ((long) requests.size() * (i + 1) / count);
      shares.add(new ArrayList<>(requests.subList(from, end)));
    }
    return shares;
  }

  /** Deletes the weights and takes from executors what they have. */
  @Override
  public void close() {
    player.destroy();
    try {
      if (newest >= 0) {
        delete(newest);
      }
    } catch (IOException e) {
      LOG.warn("cannot delete {}: {}", store.location(versions.name(newest)), e.getMessage());
    }
  }
}
