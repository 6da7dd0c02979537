package org.vstar.spark.run;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.RunStore;
import org.vstar.env.Split;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;
import org.vstar.spark.store.Store;

/**
 * Where the jobs of one run leave their results and find one another's.
 *
 * @param store the run's storage
 */
public record RunFolder(Store store) {

  private static final Logger LOG = LoggerFactory.getLogger(RunFolder.class);

  /** The name under which visits of people are kept, each a file of lines as in episodes.jsonl. */
  public static final String VISITS = "visits/";

  /** The name of what says how long each stage took. */
  static final String TIMES = "times.json";

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** The name of what training with one objective leaves: checkpoints, metrics, its policy. */
  public static String training(String objective) {
    return "train-" + objective;
  }

  /** The name of what an evaluation leaves. */
  public static String evaluation(Split heldOut) {
    return heldOut == Split.TEST ? "evaluation-final" : "evaluation";
  }

  /**
   * Refuses a run without a reference policy.
   *
   * @throws InvalidInputException saying how to make one
   */
  public void requireReference() {
    try {
      if (!PolicyFiles.exist(store, PolicyFiles.REFERENCE)) {
        throw new InvalidInputException(
            "there is no reference policy in "
                + store.location(PolicyFiles.REFERENCE)
                + ": run submit/warm-start with the same --config and --out first");
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("list " + store.location(PolicyFiles.REFERENCE), e);
    }
  }

  /**
   * The reference policy.
   *
   * @throws InvalidInputException saying how to make one if there is none
   */
  public Policy loadReference(String engine, EngineOptions options) {
    requireReference();
    return PolicyFiles.read(store, PolicyFiles.REFERENCE, engine, options);
  }

  /** The reference policy, for executors. */
  public StoredPolicy storedReference(String engine, EngineOptions options) {
    return StoredPolicy.of(store, PolicyFiles.REFERENCE, engine, options);
  }

  /** The policy that training with an objective ended with, if it has, for executors. */
  public Optional<StoredPolicy> storedTrained(
      String objective, String engine, EngineOptions options) {
    String name = training(objective) + "/policy";
    try {
      return PolicyFiles.exist(store, name)
          ? Optional.of(StoredPolicy.trained(store, name, PolicyFiles.REFERENCE, engine, options))
          : Optional.empty();
    } catch (IOException e) {
      throw InvalidInputException.cannot("list " + store.location(name), e);
    }
  }

  /** Notes how long a stage took; reports show it. */
  public void recordStage(String stage, double seconds) {
    changeTimes(times -> times.put(stage, seconds));
  }

  /** Notes how much longer a stage took that can be resumed. */
  public void extendStage(String stage, double seconds) {
    changeTimes(times -> times.merge(stage, seconds, Double::sum));
  }

  private void changeTimes(Consumer<Map<String, Double>> change) {
    try (RunStore.Lock lock = timesLock()) {
      if (lock != null) {
        Map<String, Double> times = stageTimes();
        change.accept(times);
        byte[] json = Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(times);
        store.publish(TIMES, out -> out.write(json));
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(TIMES), e);
    }
  }

  /**
   * Two jobs of a run may end at once. If another holds the lock for long, for example because it
   * was killed just then, there is none, and the times are left as they are: no job fails for them.
   */
  private RunStore.Lock timesLock() throws IOException {
    try {
      return store.lock(TIMES, "a job that ends", PATIENCE);
    } catch (InvalidInputException e) {
      LOG.warn("how long this stage took is not recorded: " + e.getMessage());
      return null;
    }
  }

  /**
   * Seconds of each stage that has run, in order.
   *
   * @throws InvalidInputException if the file is damaged; to be called before work is spent
   */
  public Map<String, Double> stageTimes() {
    Map<String, Double> times = new LinkedHashMap<>();
    try {
      if (store.exists(TIMES)) {
        String where = store.location(TIMES);
        JsonNode tree;
        try (InputStream in = store.read(TIMES)) {
          tree = Json.read(where + " (delete it, it is only shown in reports)", in, JsonNode.class);
        }
        tree.properties().forEach(stage -> times.put(stage.getKey(), seconds(where, stage)));
        if (!tree.isObject()) {
          throw new InvalidInputException(where + ": expected an object of stages: delete it");
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(TIMES), e);
    }
    return times;
  }

  private static double seconds(String where, Map.Entry<String, JsonNode> stage) {
    double seconds = stage.getValue().asDouble(Double.NaN);
    if (!stage.getValue().isNumber() || !(seconds >= 0) || Double.isInfinite(seconds)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s: '%s' is %s, expected seconds: delete the file, it is only shown in reports",
              where,
              stage.getKey(),
              stage.getValue()));
    }
    return seconds;
  }
}
