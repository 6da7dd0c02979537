package org.vstar.model.train;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.vstar.env.ContentHash;
import org.vstar.env.InputError;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.Safetensors;
import org.vstar.model.transformer.AdamW;
import org.vstar.model.transformer.ParameterLayout;
import org.vstar.model.transformer.ParameterLayout.Tensor;

/**
 * A training run on disk: a directory {@code step-000040} with the policy, the optimizer's moments
 * and a state. It appears under its name only when it is whole.
 */
public final class Checkpoint {

  private static final String PREFIX = "step-";
  private static final String STATE = "state.json";
  private static final String OPTIMIZER = "optimizer.safetensors";

  /**
   * What is not a tensor. The random state is (seed, step); so is the place in the order of tasks.
   *
   * @param run content hash of all that the run's numbers depend on
   * @param vStarTable the V* table's run id
   * @param files content hash of each file of the checkpoint
   */
  public record State(
      @JsonProperty(required = true) int step,
      @JsonProperty(required = true) int optimizerSteps,
      @JsonProperty(required = true) int skipped,
      @JsonProperty(required = true) long seed,
      @JsonProperty(required = true) long taskCursor,
      @JsonProperty(required = true) String run,
      @JsonProperty(required = true) String vStarTable,
      @JsonProperty(required = true) Map<String, String> files) {}

  private Checkpoint() {}

  /** Writes a checkpoint of the trainer's present state. */
  public static Path save(Path directory, Trainer trainer, long seed, String run, String table) {
    Path whole = directory.resolve(PREFIX + String.format("%06d", trainer.step()));
    Path partial = directory.resolve("." + whole.getFileName() + ".partial");
    try {
      delete(partial);
      trainer.policy().save(partial);
      AdamW adam = trainer.optimizer();
      ParameterLayout layout = trainer.policy().transformer().layout();
      float[] moments = new float[2 * layout.size()];
      System.arraycopy(adam.mean(), 0, moments, 0, layout.size());
      System.arraycopy(adam.square(), 0, moments, layout.size(), layout.size());
      Safetensors.write(partial.resolve(OPTIMIZER), moments(layout), moments);
      State state =
          new State(
              trainer.step(),
              adam.steps(),
              trainer.skipped(),
              seed,
              trainer.cursor(),
              run,
              table,
              hashes(partial));
      new ObjectMapper()
          .writerWithDefaultPrettyPrinter()
          .writeValue(partial.resolve(STATE).toFile(), state);
      flush(partial);
      delete(whole);
      Files.move(partial, whole, StandardCopyOption.ATOMIC_MOVE);
      return whole;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write checkpoint " + whole, e);
    }
  }

  private static List<Tensor> moments(ParameterLayout layout) {
    List<Tensor> tensors = new ArrayList<>();
    for (String moment : List.of("mean.", "square.")) {
      int base = moment.equals("mean.") ? 0 : layout.size();
      for (Tensor t : layout.tensors()) {
        tensors.add(new Tensor(moment + t.name(), base + t.offset(), t.rows(), t.columns()));
      }
    }
    return tensors;
  }

  private static Map<String, String> hashes(Path directory) throws IOException {
    Map<String, String> hashes = new TreeMap<>();
    for (Path file : list(directory)) {
      if (!file.getFileName().toString().equals(STATE)) {
        hashes.put(
            file.getFileName().toString(), new ContentHash().add(Files.readAllBytes(file)).hex());
      }
    }
    return hashes;
  }

  private static void flush(Path directory) throws IOException {
    for (Path file : list(directory)) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  private static void delete(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      for (Path file : list(directory)) {
        Files.delete(file);
      }
      Files.delete(directory);
    }
  }

  /** The newest checkpoint in a directory of them. */
  public static Optional<Path> latest(Path directory) {
    if (!Files.isDirectory(directory)) {
      return Optional.empty();
    }
    try {
      return list(directory).stream()
          .filter(p -> p.getFileName().toString().startsWith(PREFIX))
          .max(Comparator.naturalOrder());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list checkpoints in " + directory, e);
    }
  }

  /**
   * Puts a trainer back to where a checkpoint was taken.
   *
   * @param run what {@link #save} was given; a checkpoint of another run is refused
   * @throws InputError if a file is missing, was cut short or changed, or the run is another
   */
  public static State restore(Path checkpoint, Trainer trainer, String run) {
    try {
      State state = state(checkpoint);
      if (!state.run().equals(run)) {
        throw new InputError(
            "checkpoint "
                + checkpoint
                + " is of a run with other settings, policy or V* table ("
                + state.run()
                + ", this run is "
                + run
                + "): use another --out, or the run's own"
                + " config");
      }
      Policy saved = Policy.load(checkpoint);
      ParameterLayout layout = trainer.policy().transformer().layout();
      float[] moments = new float[2 * layout.size()];
      Safetensors.read(checkpoint.resolve(OPTIMIZER), moments(layout), moments);
      float[] weights = trainer.policy().transformer().weights();
      System.arraycopy(saved.transformer().weights(), 0, weights, 0, weights.length);
      trainer.policy().transformer().changed();
      float[] square = new float[layout.size()];
      System.arraycopy(moments, layout.size(), square, 0, square.length);
      trainer.optimizer().restore(state.optimizerSteps(), moments, square);
      trainer.restore(state.step(), state.skipped());
      return state;
    } catch (IOException e) {
      throw new InputError("cannot read checkpoint " + checkpoint + ": " + e.getMessage(), e);
    }
  }

  /** Reads the state and checks every file against it. */
  private static State state(Path checkpoint) throws IOException {
    Path file = checkpoint.resolve(STATE);
    if (!Files.isRegularFile(file)) {
      throw new InputError("checkpoint " + checkpoint + " has no " + STATE);
    }
    State state;
    try {
      state = new ObjectMapper().readValue(file.toFile(), State.class);
    } catch (JsonProcessingException e) {
      throw new InputError(file + " was cut short or changed: " + e.getOriginalMessage(), e);
    }
    Map<String, String> found = hashes(checkpoint);
    state
        .files()
        .forEach(
            (name, hash) -> {
              if (!hash.equals(found.get(name))) {
                throw new InputError(
                    "checkpoint file "
                        + checkpoint.resolve(name)
                        + (found.containsKey(name) ? " was cut short or changed" : " is missing")
                        + ": delete this checkpoint to resume from the one before");
              }
            });
    return state;
  }
}
