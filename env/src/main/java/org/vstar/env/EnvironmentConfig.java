package org.vstar.env;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.nio.file.Path;
import java.util.Map;

/**
 * The {@code environment} section of a config. Its {@code kind} says which environment it is for;
 * an {@link EnvironmentKind} makes a kind known.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = EnvironmentConfig.KIND)
public interface EnvironmentConfig {

  /** The key that says which environment a section is for. */
  String KIND = "kind";

  /**
   * Opens the environment.
   *
   * @param base what relative paths are relative to: the folder of the config file
   * @throws InputError if its data cannot be read
   */
  Environment open(Path base);

  /** Where the reference policy learns from. */
  DemonstrationSource demonstrations(Environment environment);

  /** Agents that results are compared with, by the name that reports give them. */
  Map<String, Agent> baselines(Environment environment);
}
