package org.vstar.model.rollout;

import java.io.Serializable;
import java.util.SplittableRandom;
import org.vstar.common.Seeds;
import org.vstar.env.Task;

/**
 * An episode to be run.
 *
 * @param seed of the episode; the environment and the sampler each get a stream derived from it,
 *     and neither stream says anything of the other
 */
public record Request(Task task, int sampleIndex, long seed) implements Serializable {

  /** What the world itself draws from; never the prompt, which the task fixes. */
  public long environmentSeed() {
    return Seeds.derive(seed, "environment");
  }

  /** The stream that the policy's tokens are drawn from. */
  SplittableRandom tokenStream() {
    return Seeds.random(seed, "tokens");
  }
}
