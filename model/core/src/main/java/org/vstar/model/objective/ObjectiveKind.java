package org.vstar.model.objective;

import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.vstar.common.Experimental;

/**
 * Makes an objective usable from configs. Found by {@link ServiceLoader}, so that an objective can
 * come in a jar of its own. The steps of adding one are:
 *
 * <ol>
 *   <li>Write it as a record that implements {@link Objective}; its components are the config's
 *       keys.
 *   <li>Choose an {@link org.vstar.model.advantage.AdvantageEstimator}, or write one.
 *   <li>Check its gradient against numeric differences, as {@code ObjectiveTest} does.
 *   <li>Implement this interface, and name the class in {@code
 *       META-INF/services/org.vstar.model.objective.ObjectiveKind}.
 *   <li>Give the jar to the jobs with {@code --jars}, add a section to a config's {@code
 *       objectives}, and name it in {@code train.objective}.
 * </ol>
 */
@Experimental
public interface ObjectiveKind {

  /** What configs call it. */
  String kind();

  /** The record that its section of a config is read into. */
  Class<? extends Objective> objective();

  /** The records of all objectives on the class path, by kind. */
  static Map<String, Class<? extends Objective>> all() {
    Map<String, Class<? extends Objective>> all = new TreeMap<>();
    ServiceLoader.load(ObjectiveKind.class).forEach(kind -> all.put(kind.kind(), kind.objective()));
    return all;
  }
}
