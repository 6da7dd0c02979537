package org.vstar.env;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.nio.file.Path;
import org.vstar.common.ConfigFile;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

/**
 * The {@code environment} section of a config. Its {@code kind} says which environment it is for;
 * an {@link EnvironmentKind} makes a kind known.
 */
@Experimental
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = ConfigFile.KIND)
public interface EnvironmentConfig {

  /**
   * Opens the environment of a run.
   *
   * @param base what relative paths are relative to: the folder of the config file
   * @param runSeed the run's seed, for an environment that draws variations of its train tasks
   * @throws InvalidInputException if its data cannot be read
   */
  Opened open(Path base, long runSeed);
}
