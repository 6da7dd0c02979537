package org.vstar.spark;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.vstar.env.InputError;
import org.vstar.model.policy.Policy;

/**
 * Where the jobs of one run leave their results and find one another's.
 *
 * @param root the folder
 */
public record RunFolder(Path root) {

  public Path reference() {
    return root.resolve("reference");
  }

  public Path tables() {
    return root.resolve("tables");
  }

  /** Checkpoints, metrics and the final policy of training with one objective. */
  public Path training(String objective) {
    return root.resolve("train-" + objective);
  }

  public Path evaluation() {
    return root.resolve("evaluation");
  }

  /** Episodes of people, one JSON object a line as in {@code episodes.jsonl}. */
  public Path visits() {
    return root.resolve("visits.jsonl");
  }

  private Path times() {
    return root.resolve("times.json");
  }

  /**
   * The reference policy.
   *
   * @throws InputError saying how to make one if there is none
   */
  public Policy loadReference() {
    if (!Files.isDirectory(reference())) {
      throw new InputError(
          "there is no reference policy in "
              + reference()
              + ": run submit/warm-start with the same --config and --out first");
    }
    return Policy.load(reference());
  }

  /** Notes how long a stage took; reports show it. */
  public void time(String stage, double seconds) {
    time(stage, seconds, false);
  }

  /** Notes how much longer a stage took that can be gone on with. */
  public void addTime(String stage, double seconds) {
    time(stage, seconds, true);
  }

  private void time(String stage, double seconds, boolean add) {
    try {
      Files.createDirectories(root);
      Map<String, Double> times = times(times());
      times.merge(stage, seconds, (before, now) -> add ? before + now : now);
      Path partial = Files.createTempFile(root, ".times", ".partial");
      new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(partial.toFile(), times);
      Files.move(partial, times(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + times(), e);
    }
  }

  /** Seconds of each stage that has run, in order. */
  public Map<String, Double> stageTimes() {
    try {
      return times(times());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + times(), e);
    }
  }

  private static Map<String, Double> times(Path file) throws IOException {
    return Files.exists(file)
        ? new ObjectMapper().readValue(file.toFile(), new TypeReference<>() {})
        : new LinkedHashMap<>();
  }
}
