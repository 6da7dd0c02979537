package org.vstar.model.train;

import java.io.IOException;
import java.io.InputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;
import org.vstar.common.RunStore;
import org.vstar.common.SealedJson;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.Safetensors;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.policy.Policy;

/**
 * A training run, or a warm start, in a store: {@code step-000040/} with the policy, the
 * optimizer's moments and {@code state.json}, which is written last. So a checkpoint is there when
 * its state is.
 *
 * @param policy as it was
 * @param moments the optimizer's
 * @param state the rest
 * @param critic what is learned beside the policy, if anything is
 * @param estimator what the estimator of advantages has learned, if anything
 */
public record Checkpoint(
    Policy policy,
    TensorSource moments,
    State state,
    Optional<Learner> critic,
    Optional<byte[]> estimator) {

  /**
   * A model that is trained beside the policy.
   *
   * @param policy the model, which is no policy
   * @param moments its optimizer's
   * @param optimizerSteps its optimizer's steps
   */
  public record Learner(Policy policy, TensorSource moments, int optimizerSteps) {}

  /** One with nothing beside the policy. */
  public Checkpoint(Policy policy, TensorSource moments, State state) {
    this(policy, moments, state, Optional.empty(), Optional.empty());
  }

  private static final String PREFIX = "step-";
  private static final String STATE = "state.json";
  private static final String OPTIMIZER = "optimizer.safetensors";
  private static final String ESTIMATOR = "estimator.json.gz";
  private static final String CRITIC = "critic";
  private static final String CRITIC_OPTIMIZER = "critic-optimizer.safetensors";

  /**
   * Goes up when checkpoints written before can no longer be read. 1 had no version in its state.
   */
  private static final int VERSION = 4;

  private static final String ADVICE =
      "delete this checkpoint to resume from the one before, train anew into another --out, or"
          + " resume with the Vstar that wrote it";

  /**
   * What is not a tensor. The random state is (seed, step); so is the place in the order of tasks.
   *
   * @param version of the format
   * @param steps updates that the run was to have
   * @param settings all that the run's numbers depend on, by name; seed, V* table and policy too
   * @param files content hash of each file of the checkpoint
   * @param criticSteps steps of the critic's optimizer; absent without one
   */
  public record State(
      int version,
      int step,
      int steps,
      int optimizerSteps,
      int skipped,
      long taskCursor,
      Map<String, String> settings,
      Map<String, String> files,
      @OptionalKey Integer criticSteps) {

    /** The state of what is not saved yet. */
    State(
        int step,
        int steps,
        int optimizerSteps,
        int skipped,
        long taskCursor,
        Map<String, String> settings) {
      this(VERSION, step, steps, optimizerSteps, skipped, taskCursor, settings, Map.of(), null);
    }

    /**
     * The state of imitation that is not saved yet. It skips no step and draws no tasks.
     *
     * @param step steps taken
     * @param steps that there will be
     * @param settings all that its numbers depend on, by name
     */
    public static State ofImitation(int step, int steps, Map<String, String> settings) {
      return new State(step, steps, step, 0, 0, settings);
    }

    private State with(Map<String, String> hashes, Optional<Learner> critic) {
      return new State(
          version,
          step,
          steps,
          optimizerSteps,
          skipped,
          taskCursor,
          new TreeMap<>(settings),
          hashes,
          critic.map(Learner::optimizerSteps).orElse(null));
    }
  }

  /**
   * Writes this checkpoint, and the hashes of its files into its state.
   *
   * @param folder where the run's checkpoints are
   * @return its name
   */
  public String save(RunStore store, String folder) {
    String name = folder + "/" + PREFIX + String.format(Locale.ROOT, "%06d", state.step);
    try {
      PolicyFiles.write(policy, store, name);
      store.publish(name + "/" + OPTIMIZER, out -> Safetensors.write(moments, out));
      if (critic.isPresent()) {
        PolicyFiles.write(critic.get().policy, store, name + "/" + CRITIC);
        store.publish(
            name + "/" + CRITIC_OPTIMIZER, out -> Safetensors.write(critic.get().moments, out));
      }
      if (estimator.isPresent()) {
        store.publish(name + "/" + ESTIMATOR, out -> out.write(estimator.get()));
      }
      byte[] json = SealedJson.write(state.with(hashes(store, name), critic));
      store.publish(name + "/" + STATE, out -> out.write(json));
      return name;
    } catch (IOException e) {
      throw InvalidInputException.cannot("write checkpoint " + store.location(name), e);
    }
  }

  private static Map<String, String> hashes(RunStore store, String name) throws IOException {
    Map<String, String> hashes = new TreeMap<>();
    for (String file : store.list(name + "/")) {
      String own = file.substring(name.length() + 1);
      if (!own.equals(STATE)) {
        try (InputStream in = store.read(file)) {
          hashes.put(own, new ContentHash().add(in).hex());
        }
      }
    }
    return hashes;
  }

  /** The names of the whole checkpoints in a folder of them, the newest first. */
  public static List<String> all(RunStore store, String folder) {
    try {
      return store.list(folder + "/" + PREFIX).stream()
          .filter(name -> name.endsWith("/" + STATE))
          .map(name -> name.substring(0, name.length() - STATE.length() - 1))
          .sorted(Comparator.reverseOrder())
          .toList();
    } catch (IOException e) {
      throw InvalidInputException.cannot("list checkpoints in " + store.location(folder), e);
    }
  }

  /**
   * Deletes all but the newest checkpoints, and what is left of those that were deleted or written
   * by halves before.
   *
   * @param keep how many stay, at least 1
   */
  public static void prune(RunStore store, String folder, int keep) {
    List<String> kept = all(store, folder).stream().limit(keep).toList();
    if (!kept.isEmpty()) {
      String oldest = kept.get(kept.size() - 1);
      delete(store, folder, name -> name.compareTo(oldest) < 0);
    }
  }

  /** Deletes all checkpoints, and what is left of any. */
  public static void deleteAll(RunStore store, String folder) {
    delete(store, folder, name -> true);
  }

  /** Their states first, so that what is left of one is none. */
  private static void delete(RunStore store, String folder, Predicate<String> which) {
    try {
      List<String> old =
          store.list(folder + "/" + PREFIX).stream()
              .filter(file -> file.indexOf('/', folder.length() + 1) > 0)
              .filter(file -> which.test(file.substring(0, file.indexOf('/', folder.length() + 1))))
              .sorted(Comparator.comparing(file -> !file.endsWith("/" + STATE)))
              .toList();
      for (String file : old) {
        store.delete(file);
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("delete old checkpoints in " + store.location(folder), e);
    }
  }

  /**
   * Reads the newest checkpoint that is not damaged.
   *
   * @param settings those of the run that goes on; a checkpoint with others is refused
   * @param reference what the run started from
   * @param damaged is told why a newer one is not used
   * @return none if there is none
   * @throws InvalidInputException if all are damaged, or naming the settings that differ and both
   *     values of each
   */
  public static Optional<Checkpoint> newest(
      RunStore store,
      String folder,
      Map<String, String> settings,
      Policy reference,
      EngineOptions options,
      Consumer<String> damaged) {
    InvalidInputException first = null;
    for (String name : all(store, folder)) {
      try {
        state(store, name);
      } catch (InvalidInputException e) {
        first = first == null ? e : first;
        damaged.accept(e.getMessage());
        continue;
      } catch (IOException e) {
        throw InvalidInputException.cannot("read checkpoint " + store.location(name), e);
      }
      return Optional.of(read(store, name, settings, reference, options));
    }
    if (first != null) {
      throw first;
    }
    return Optional.empty();
  }

  /**
   * Reads a checkpoint.
   *
   * @param settings those of the run that goes on; a checkpoint with others is refused
   * @param reference what the run started from
   * @throws InvalidInputException if a file is missing, was cut short or changed, or naming the
   *     settings that differ and both values of each
   */
  public static Checkpoint read(
      RunStore store,
      String name,
      Map<String, String> settings,
      Policy reference,
      EngineOptions options) {
    try {
      State state = state(store, name);
      requireSame(store.location(name), state.settings, settings);
      Policy policy = PolicyFiles.readTrained(store, name, reference, options);
      Safetensors moments = Safetensors.open(store.local(name).resolve(OPTIMIZER));
      return new Checkpoint(
          policy,
          moments,
          state,
          critic(store, name, state, reference, options),
          estimator(store, name, state));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read checkpoint " + store.location(name), e);
    }
  }

  private static Optional<Learner> critic(
      RunStore store, String name, State state, Policy reference, EngineOptions options)
      throws IOException {
    if (state.criticSteps == null) {
      return Optional.empty();
    }
    Policy own = PolicyFiles.readTrained(store, name + "/" + CRITIC, reference, options);
    Safetensors moments = Safetensors.open(store.local(name).resolve(CRITIC_OPTIMIZER));
    return Optional.of(new Learner(own, moments, state.criticSteps));
  }

  private static Optional<byte[]> estimator(RunStore store, String name, State state)
      throws IOException {
    if (!state.files.containsKey(ESTIMATOR)) {
      return Optional.empty();
    }
    try (InputStream in = store.read(name + "/" + ESTIMATOR)) {
      return Optional.of(in.readAllBytes());
    }
  }

  private static void requireSame(
      String where, Map<String, String> made, Map<String, String> wanted) {
    Set<String> names = new TreeSet<>(made.keySet());
    names.addAll(wanted.keySet());
    List<String> differences =
        names.stream()
            .filter(name -> !Objects.equals(made.get(name), wanted.get(name)))
            .map(name -> name + " was " + made.get(name) + " and is " + wanted.get(name) + " now")
            .toList();
    if (!differences.isEmpty()) {
      throw new InvalidInputException(
          "checkpoint "
              + where
              + " is of a run with other settings ("
              + String.join("; ", differences)
              + "): use another --out, or the run's own settings");
    }
  }

  /** Reads the state and checks every file against it. */
  private static State state(RunStore store, String name) throws IOException {
    State state;
    try (InputStream in = store.read(name + "/" + STATE)) {
      String where = store.location(name + "/" + STATE);
      state = SealedJson.read(where, in, State.class, VERSION, ADVICE);
    }
    Map<String, String> found = hashes(store, name);
    state.files.forEach(
        (own, hash) -> {
          if (!hash.equals(found.get(own))) {
            throw new InvalidInputException(
                "checkpoint file "
                    + store.location(name + "/" + own)
                    + (found.containsKey(own) ? " was cut short or changed" : " is missing")
                    + ": "
                    + ADVICE);
          }
        });
    return state;
  }
}
