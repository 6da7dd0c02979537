package org.vstar.env;

import java.util.List;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

/** Whoever can play an episode: an {@link Agent}, or a script that acts on the world behind it. */
@Experimental
public interface Player {

  /**
   * Plays one episode to its end. The same task and seed give the same turns.
   *
   * @throws InvalidInputException naming task, seed and turn if the environment or the player
   *     throws, or a reward is not finite
   */
  List<Turn> play(Environment environment, Task task, long seed);
}
