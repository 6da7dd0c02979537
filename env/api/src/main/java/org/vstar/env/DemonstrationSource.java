package org.vstar.env;

import java.io.Serializable;
import java.util.List;
import org.vstar.common.Experimental;

/** Episodes to imitate. Runs on Spark executors. */
@Experimental
@FunctionalInterface
public interface DemonstrationSource extends Serializable {

  /**
   * Plays some episodes, never on a test task.
   *
   * @param seed the same seed gives the same episodes
   */
  List<List<Turn>> batch(long seed, int episodes);

  /** Text that demonstrations may have and that the environment's own vocabulary may lack. */
  default List<String> vocabularyText() {
    return List.of();
  }

  /** Where demonstrations come from that no batch has had: all recorded ones may have been had. */
  default DemonstrationSource heldOut() {
    return this;
  }
}
