package org.vstar.spark.table;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.vstar.common.InvalidInputException;
import org.vstar.model.rollout.Trajectory;

/**
 * One rollout of the reference policy: a row of {@code samples} less the fingerprints.
 *
 * @param refLogprob ln π_ref(y|x)
 * @param rewardParts what the last reward was made of; empty where it has no parts
 */
public record Sample(
    String taskId,
    int sampleIndex,
    long seed,
    double episodeReturn,
    boolean success,
    int turns,
    int tokens,
    String stopReason,
    List<String> actions,
    double refLogprob,
    Map<String, Double> rewardParts,
    long durationMs)
    implements Serializable {

  /** Refuses what no estimate can be made of. */
  public Sample {
    if (!Double.isFinite(episodeReturn)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "task %s, sample %d (seed %d): the return is %s, expected a finite number",
              taskId,
              sampleIndex,
              seed,
              episodeReturn));
    }
  }

  /** The row of a trajectory. */
  public static Sample of(Trajectory t) {
    return new Sample(
        t.task().id(),
        t.sampleIndex(),
        t.seed(),
        t.episodeReturn(),
        t.success(),
        t.turns().size(),
        t.agentTokens(),
        t.stopReason().name().toLowerCase(Locale.ROOT),
        t.turns().stream().map(turn -> turn.answer().action()).toList(),
        t.logProbability(),
        t.rewardParts(),
        t.durationMillis());
  }
}
