package org.vstar.spark.run;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Split;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;
import org.vstar.spark.store.HadoopRunStore;

/**
 * Where the jobs of one run leave their results and find one another's.
 *
 * @param store the run's storage
 */
public record RunFolder(HadoopRunStore store) {

  /** The name of the reference policy. */
  public static final String REFERENCE = "reference";

  /** The name under which visits of people are kept, each a file of lines as in episodes.jsonl. */
  public static final String VISITS = "visits/";

  private static final String TIMES = "times.json";

  /** The tables' folder. */
  public org.apache.hadoop.fs.Path tables() {
    return store.path("tables");
  }

  /** The name of what training with one objective leaves: checkpoints, metrics, its policy. */
  public static String training(String objective) {
    return "train-" + objective;
  }

  /** The name of what an evaluation leaves. */
  public static String evaluation(Split heldOut) {
    return heldOut == Split.TEST ? "evaluation-final" : "evaluation";
  }

  /**
   * The reference policy.
   *
   * @throws InvalidInputException saying how to make one if there is none
   */
  public Policy loadReference(String engine, EngineOptions options) {
    try {
      if (!PolicyFiles.exist(store, REFERENCE)) {
        throw new InvalidInputException(
            "there is no reference policy in "
                + store.location(REFERENCE)
                + ": run submit/warm-start with the same --config and --out first");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + store.location(REFERENCE), e);
    }
    return PolicyFiles.read(store, REFERENCE, engine, options);
  }

  /** The policy that training with an objective ended with, if it has. */
  public Optional<Policy> loadTrained(String objective, String engine) {
    String name = training(objective) + "/policy";
    try {
      return PolicyFiles.exist(store, name)
          ? Optional.of(PolicyFiles.read(store, name, engine, EngineOptions.ONE_THREAD))
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + store.location(name), e);
    }
  }

  /** Notes how long a stage took; reports show it. */
  public void recordStage(String stage, double seconds) {
    Map<String, Double> times = stageTimes();
    times.put(stage, seconds);
    writeTimes(times);
  }

  /** Notes how much longer a stage took that can be resumed. */
  public void extendStage(String stage, double seconds) {
    Map<String, Double> times = stageTimes();
    times.merge(stage, seconds, Double::sum);
    writeTimes(times);
  }

  private void writeTimes(Map<String, Double> times) {
    try {
      byte[] json = Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(times);
      store.publish(TIMES, out -> out.write(json));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + store.location(TIMES), e);
    }
  }

  /** Seconds of each stage that has run, in order. */
  public Map<String, Double> stageTimes() {
    try {
      if (!store.exists(TIMES)) {
        return new LinkedHashMap<>();
      }
      try (InputStream in = store.read(TIMES)) {
        return Json.MAPPER.readValue(in, new TypeReference<LinkedHashMap<String, Double>>() {});
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + store.location(TIMES), e);
    }
  }
}
