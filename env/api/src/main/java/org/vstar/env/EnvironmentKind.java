package org.vstar.env;

import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.vstar.common.Experimental;

/**
 * Makes an environment usable from configs. Found by {@link ServiceLoader}, so that an environment
 * can come in a jar of its own. The steps of adding one are:
 *
 * <ol>
 *   <li>Implement {@link Episode}: what the agent sees, and what an action does.
 *   <li>Implement {@link Environment}: the tasks of each split, and how an episode starts.
 *   <li>Write the config section as a record that implements {@link EnvironmentConfig}.
 *   <li>Implement this interface, and name the class in {@code
 *       META-INF/services/org.vstar.env.EnvironmentKind}.
 *   <li>Give the jar to the jobs with {@code --jars}, and write {@code kind: yours} into a config.
 * </ol>
 *
 * <p>{@code org.vstar.env.bandit} is the smallest example; a page of the site builds it line by
 * line.
 */
@Experimental
public interface EnvironmentKind {

  /** What configs call it. */
  String kind();

  /** The record that its section of a config is read into. */
  Class<? extends EnvironmentConfig> config();

  /** The records of all environments on the class path, by kind. */
  static Map<String, Class<? extends EnvironmentConfig>> all() {
    Map<String, Class<? extends EnvironmentConfig>> all = new TreeMap<>();
    ServiceLoader.load(EnvironmentKind.class).forEach(kind -> all.put(kind.kind(), kind.config()));
    return all;
  }
}
