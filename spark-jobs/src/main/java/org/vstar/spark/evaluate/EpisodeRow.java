package org.vstar.spark.evaluate;

import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.io.Serializable;
import java.util.List;
import org.vstar.env.Task;
import org.vstar.env.Turn;

/**
 * One evaluated episode: a line of {@code episodes.jsonl}.
 *
 * @param mode {@code greedy} or {@code sampled}; scripted agents are sampled
 * @param sample number of the episode among those on its task
 * @param failure why it did not succeed, null if it did
 */
@JsonNaming(SnakeCaseStrategy.class)
public record EpisodeRow(
    String method,
    String mode,
    String taskId,
    String category,
    int sample,
    boolean success,
    double reward,
    int steps,
    String failure,
    List<TurnRow> turns)
    implements Serializable {

  /** One turn, as reports show it. */
  public record TurnRow(
      String observation, String thought, String action, double reward, String event)
      implements Serializable {}

  static EpisodeRow of(String method, String mode, Task task, int sample, List<Turn> turns) {
    boolean success = turns.get(turns.size() - 1).outcome().success();
    return new EpisodeRow(
        method,
        mode,
        task.id(),
        task.category(),
        sample,
        success,
        turns.stream().mapToDouble(t -> t.outcome().reward()).sum(),
        turns.size(),
        success ? null : Failure.of(turns).words(),
        turns.stream()
            .map(
                t ->
                    new TurnRow(
                        t.observation(),
                        t.answer().thought(),
                        t.answer().action(),
                        t.outcome().reward(),
                        t.outcome().event()))
            .toList());
  }
}
