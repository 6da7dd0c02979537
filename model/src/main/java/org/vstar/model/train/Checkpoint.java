package org.vstar.model.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.vstar.common.ContentHash;
import org.vstar.common.FormatVersion;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.RunStore;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.Safetensors;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.policy.Policy;

/**
 * A training run in a store: {@code step-000040/} with the policy, the optimizer's moments and
 * {@code state.json}, which is written last. So a checkpoint is there when its state is.
 *
 * @param policy as it was
 * @param moments the optimizer's
 * @param state the rest
 */
public record Checkpoint(Policy policy, TensorSource moments, State state) {

  private static final String PREFIX = "step-";
  private static final String STATE = "state.json";
  private static final String OPTIMIZER = "optimizer.safetensors";

  /**
   * Goes up when checkpoints written before can no longer be read. 1 had no version in its state.
   */
  private static final int VERSION = 2;

  /**
   * What is not a tensor. The random state is (seed, step); so is the place in the order of tasks.
   *
   * @param version of the format
   * @param run content hash of all that the run's numbers depend on
   * @param vStarTable the V* table's run id
   * @param files content hash of each file of the checkpoint
   */
  public record State(
      int version,
      int step,
      int optimizerSteps,
      int skipped,
      long seed,
      long taskCursor,
      String run,
      String vStarTable,
      Map<String, String> files) {}

  /**
   * Writes a checkpoint of the trainer's present state.
   *
   * @param folder where the run's checkpoints are
   * @return its name
   */
  public static String save(
      RunStore store, String folder, Trainer trainer, long seed, String run, String table) {
    String name = folder + "/" + PREFIX + String.format(Locale.ROOT, "%06d", trainer.step());
    try {
      PolicyFiles.write(trainer.policy(), store, name);
      TensorSource moments = trainer.optimizer().moments();
      store.publish(name + "/" + OPTIMIZER, out -> Safetensors.write(moments, out));
      State state =
          new State(
              VERSION,
              trainer.step(),
              trainer.optimizer().steps(),
              trainer.skipped(),
              seed,
              trainer.cursor(),
              run,
              table,
              hashes(store, name));
      byte[] json = Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(state);
      store.publish(name + "/" + STATE, out -> out.write(json));
      return name;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write checkpoint " + store.location(name), e);
    }
  }

  private static Map<String, String> hashes(RunStore store, String name) throws IOException {
    Map<String, String> hashes = new TreeMap<>();
    for (String file : store.list(name + "/")) {
      String own = file.substring(name.length() + 1);
      if (!own.equals(STATE)) {
        try (InputStream in = store.read(file)) {
          hashes.put(own, new ContentHash().add(in.readAllBytes()).hex());
        }
      }
    }
    return hashes;
  }

  /** The name of the newest whole checkpoint in a folder of them. */
  public static Optional<String> latest(RunStore store, String folder) {
    try {
      List<String> all = store.list(folder + "/" + PREFIX);
      return all.stream()
          .filter(name -> name.endsWith("/" + STATE))
          .map(name -> name.substring(0, name.length() - STATE.length() - 1))
          .max(Comparator.naturalOrder());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list checkpoints in " + store.location(folder), e);
    }
  }

  /**
   * Reads a checkpoint.
   *
   * @param run what {@link #save} was given; a checkpoint of another run is refused
   * @throws InvalidInputException if a file is missing, was cut short or changed, or the run is
   *     another
   */
  public static Checkpoint read(
      RunStore store, String name, String run, String engine, EngineOptions options) {
    try {
      State state = state(store, name);
      if (!state.run().equals(run)) {
        throw new InvalidInputException(
            String.format(
                "checkpoint %s is of a run with other settings, policy or V* table (%s, this run is"
                    + " %s): use another --out, or the run's own config",
                store.location(name), state.run(), run));
      }
      Policy policy = PolicyFiles.read(store, name, engine, options);
      String optimizer = name + "/" + OPTIMIZER;
      try (InputStream in = store.read(optimizer)) {
        return new Checkpoint(policy, Safetensors.read(store.location(optimizer), in), state);
      }
    } catch (IOException e) {
      throw new InvalidInputException(
          "cannot read checkpoint " + store.location(name) + ": " + e.getMessage(), e);
    }
  }

  /** Reads the state and checks every file against it. */
  private static State state(RunStore store, String name) throws IOException {
    String file = store.location(name + "/" + STATE);
    State state;
    try (InputStream in = store.read(name + "/" + STATE)) {
      JsonNode tree = Json.MAPPER.readTree(in);
      FormatVersion.require(
          file,
          tree.path("version").asInt(1),
          VERSION,
          "train anew into another --out, or resume with the Vstar that wrote it");
      state = Json.MAPPER.treeToValue(tree, State.class);
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(
          file + " was cut short or changed: " + e.getOriginalMessage(), e);
    }
    Map<String, String> found = hashes(store, name);
    state
        .files()
        .forEach(
            (own, hash) -> {
              if (!hash.equals(found.get(own))) {
                throw new InvalidInputException(
                    "checkpoint file "
                        + store.location(name + "/" + own)
                        + (found.containsKey(own) ? " was cut short or changed" : " is missing")
                        + ": delete this checkpoint to resume from the one before");
              }
            });
    return state;
  }
}
