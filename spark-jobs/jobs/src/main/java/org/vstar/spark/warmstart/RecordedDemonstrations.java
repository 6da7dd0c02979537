package org.vstar.spark.warmstart;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.env.Answer;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Environment;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.spark.score.EpisodeRow;

/**
 * Recorded episodes among the demonstrations of another source.
 *
 * @param others where the rest comes from
 * @param share how many are recorded ones, 0 to 1
 * @param recorded the recorded episodes
 */
record RecordedDemonstrations(DemonstrationSource others, double share, List<List<Turn>> recorded)
    implements DemonstrationSource {

  /**
   * Reads episodes of {@code submit/shop}, or of an evaluation. Those on held-out tasks, or of
   * another environment (other prompts, rules or rewards), are left out.
   *
   * @throws InvalidInputException if there are none on train tasks
   */
  static RecordedDemonstrations read(
      Path file, double share, Environment environment, DemonstrationSource others) {
    Set<String> train =
        Stream.of(environment.tasks(Split.TRAIN), environment.originals(Split.TRAIN))
            .flatMap(List::stream)
            .map(Task::id)
            .collect(Collectors.toSet());
    List<List<Turn>> recorded = new ArrayList<>();
    for (EpisodeRow row : EpisodeRow.readFiles(file)) {
      if (train.contains(row.taskId()) && row.isOf(environment)) {
        recorded.add(row.turns().stream().map(RecordedDemonstrations::turn).toList());
      }
    }
    if (recorded.isEmpty()) {
      throw new InvalidInputException(
          "warmStart.recorded.file: there is no episode on a train task of this environment in "
              + file);
    }
    return new RecordedDemonstrations(others, share, recorded);
  }

  @Override
  public List<String> vocabularyText() {
    return recorded.stream()
        .flatMap(List::stream)
        .flatMap(
            turn -> Stream.of(turn.observation(), turn.answer().thought(), turn.answer().action()))
        .toList();
  }

  @Override
  public DemonstrationSource heldOut() {
    return others.heldOut();
  }

  private static Turn turn(EpisodeRow.TurnRow row) {
    // Of what happened, imitation only asks for the words.
    return new Turn(
        row.observation(),
        new Answer(row.thought(), row.action()),
        new Outcome(row.reward(), false, false, true, row.event()));
  }

  @Override
  public List<List<Turn>> batch(long seed, int episodes) {
    SplittableRandom random = Seeds.random(seed, "recorded demonstrations");
    List<List<Turn>> batch = new ArrayList<>();
    for (int i = 0; i < episodes; i++) {
      if (random.nextDouble() < share) {
        batch.add(recorded.get(random.nextInt(recorded.size())));
      }
    }
    batch.addAll(others.batch(random.nextLong(), episodes - batch.size()));
    return batch;
  }
}
