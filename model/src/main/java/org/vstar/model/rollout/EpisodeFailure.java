package org.vstar.model.rollout;

import java.io.Serializable;
import org.vstar.common.InvalidInputException;
import org.vstar.model.rollout.Rollouts.Request;

/**
 * An episode that came to no end because its environment failed: it threw, or gave a reward that is
 * not finite. It has no trajectory.
 *
 * @param turn from 0; the turn that was to be taken
 * @param reason what was thrown and where, in one line
 */
public record EpisodeFailure(String taskId, int sampleIndex, long seed, int turn, String reason)
    implements Serializable {

  static EpisodeFailure of(Request request, int turn, Throwable thrown) {
    StackTraceElement[] trace = thrown.getStackTrace();
    String place = trace.length == 0 ? "" : " at " + trace[0];
    return new EpisodeFailure(
        request.task().id(),
        request.sampleIndex(),
        request.seed(),
        turn,
        InvalidInputException.oneLine(thrown + place));
  }

  @Override
  public String toString() {
    return String.format(
        "task %s, sample %d (seed %d), turn %d: the environment failed: %s",
        taskId, sampleIndex, seed, turn, reason);
  }
}
