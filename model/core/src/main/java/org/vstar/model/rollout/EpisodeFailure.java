package org.vstar.model.rollout;

import java.io.Serializable;
import java.util.Locale;
import org.vstar.common.InvalidInputException;

/**
 * An episode that came to no end because its environment failed: it threw, or gave a reward that is
 * not finite, or did not answer. It has no trajectory.
 *
 * @param turn from 0; the turn that was to be taken
 * @param attempts how often the episode was played, to no end
 * @param reason what was thrown and where the last time, in one line
 */
public record EpisodeFailure(
    String taskId, int sampleIndex, long seed, int turn, int attempts, String reason)
    implements Serializable {

  static EpisodeFailure of(Request request, int turn, Throwable thrown) {
    StackTraceElement[] trace = thrown.getStackTrace();
    String place = trace.length == 0 ? "" : " at " + trace[0];
    return new EpisodeFailure(
        request.task().id(),
        request.sampleIndex(),
        request.seed(),
        turn,
        1,
        InvalidInputException.oneLine(thrown + place));
  }

  EpisodeFailure after(int count) {
    return new EpisodeFailure(taskId, sampleIndex, seed, turn, count, reason);
  }

  @Override
  public String toString() {
    String often = attempts == 1 ? "" : " " + attempts + " times, at last";
    return String.format(
        Locale.ROOT,
        "task %s, sample %d (seed %d), turn %d: the environment failed%s: %s",
        taskId,
        sampleIndex,
        seed,
        turn,
        often,
        reason);
  }
}
