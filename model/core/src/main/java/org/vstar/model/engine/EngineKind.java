package org.vstar.model.engine;

import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

/**
 * Makes an engine usable from configs. Found by {@link ServiceLoader}, so that an engine can come
 * in a jar of its own. The steps of adding one are:
 *
 * <ol>
 *   <li>Implement {@link Engine}, and with it {@link Generator}, {@link Scorer}, {@link Gradient}
 *       and {@link Optimizer}.
 *   <li>Say in {@link Engine#logProbTolerance} by how much its scorer can differ from its
 *       generator.
 *   <li>Implement this interface, and name the class in {@code
 *       META-INF/services/org.vstar.model.engine.EngineKind}.
 *   <li>Run the tests of {@code EngineContract} and {@code CheckpointContract} on it.
 *   <li>Give the jar to the jobs with {@code --jars}, and write {@code engine: yours} into a
 *       config.
 * </ol>
 */
@Experimental
public interface EngineKind {

  /** The engine of configs that name none. */
  String DEFAULT = "vector";

  /** What configs call it. */
  String kind();

  /**
   * Opens a model.
   *
   * @throws InvalidInputException if a tensor is missing or has another shape, or the machine lacks
   *     what the engine needs
   */
  Engine open(WeightSource weights, EngineOptions options);

  /** What training takes of memory; nothing where the engine cannot tell it from shapes. */
  default Optional<MemoryPlan> trainingMemory(MemoryPlan.Load load, EngineOptions options) {
    return Optional.empty();
  }

  /** Whether its generators have {@link Generator#continuations} and {@link Generator#copy}. */
  default boolean searchesBeams() {
    return false;
  }

  /**
   * The engine of a name.
   *
   * @throws InvalidInputException naming the engines there are
   */
  static EngineKind of(String kind) {
    Map<String, EngineKind> all = new TreeMap<>();
    ServiceLoader.load(EngineKind.class).forEach(found -> all.put(found.kind(), found));
    EngineKind found = all.get(kind);
    if (found == null) {
      throw new InvalidInputException(
          "config key 'engine' is '" + kind + "', expected one of " + all.keySet());
    }
    return found;
  }
}
