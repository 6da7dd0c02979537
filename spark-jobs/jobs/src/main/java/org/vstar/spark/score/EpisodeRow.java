package org.vstar.spark.score;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.OptionalKey;
import org.vstar.env.Environment;
import org.vstar.env.Outcome;
import org.vstar.env.Task;
import org.vstar.env.Turn;

/**
 * One episode, as evaluations ({@code episodes.jsonl}) and training keep it: a line of JSON.
 *
 * @param mode how the agent's answers were chosen
 * @param sample number of the episode among those on its task
 * @param cluster what intervals are clustered by
 * @param failure why it did not succeed; absent if it did
 * @param rewardParts what the last reward was made of; empty where it has no parts
 * @param environmentFingerprint what it was played in
 * @param rewardFingerprint under which rewards
 * @param agentTokens tokens that the agent wrote; absent if it is no policy
 * @param learned what training made of it; absent if it was only played
 */
@JsonNaming(SnakeCaseStrategy.class)
public record EpisodeRow(
    String method,
    DecodingMode mode,
    String taskId,
    String category,
    String cluster,
    int sample,
    boolean success,
    double reward,
    int steps,
    @OptionalKey String failure,
    Map<String, Double> rewardParts,
    String environmentFingerprint,
    String rewardFingerprint,
    List<TurnRow> turns,
    @OptionalKey Integer agentTokens,
    @OptionalKey Learned learned)
    implements Serializable {

  /**
   * What training made of an episode.
   *
   * @param step updates taken before
   * @param vStar V* of its task; absent if training looked at none
   * @param advantage what weighed it; absent if it was not finite
   */
  @JsonNaming(SnakeCaseStrategy.class)
  public record Learned(int step, @OptionalKey Double vStar, @OptionalKey Double advantage)
      implements Serializable {}

  /** One turn, as reports show it. */
  public record TurnRow(
      String observation, String thought, String action, double reward, String event)
      implements Serializable {}

  /** The method of episodes that a person played. */
  public static final String PERSON = "person";

  /** A row of an episode with at least one turn. */
  public static EpisodeRow of(
      Environment environment,
      String method,
      DecodingMode mode,
      Task task,
      int sample,
      List<Turn> turns) {
    Outcome last = turns.get(turns.size() - 1).outcome();
    boolean success = last.success();
    return new EpisodeRow(
        method,
        mode,
        task.id(),
        task.category(),
        task.cluster(),
        sample,
        success,
        turns.stream().mapToDouble(t -> t.outcome().reward()).sum(),
        turns.size(),
        success ? null : Failure.of(turns),
        last.parts(),
        environment.fingerprint(),
        environment.rewardFingerprint(),
        turns.stream()
            .map(
                t ->
                    new TurnRow(
                        t.observation(),
                        t.answer().thought(),
                        t.answer().action(),
                        t.outcome().reward(),
                        t.outcome().event()))
            .toList(),
        null,
        null);
  }

  /** The same episode of a policy, which wrote so many tokens. */
  public EpisodeRow withAgentTokens(int written) {
    return with(turns, written, learned);
  }

  /** The same episode, which training learned from. */
  public EpisodeRow withLearned(Learned byTraining) {
    return with(turns, agentTokens, byTraining);
  }

  /** The same episode without what was said in it, for those that count many. */
  public EpisodeRow withoutTurns() {
    return with(List.of(), agentTokens, learned);
  }

  private EpisodeRow with(List<TurnRow> said, Integer written, Learned byTraining) {
    return new EpisodeRow(
        method,
        mode,
        taskId,
        category,
        cluster,
        sample,
        success,
        reward,
        steps,
        failure,
        rewardParts,
        environmentFingerprint,
        rewardFingerprint,
        said,
        written,
        byTraining);
  }

  /** Whether it was played in this environment, under these rewards. */
  public boolean isOf(Environment environment) {
    return environment.fingerprint().equals(environmentFingerprint)
        && environment.rewardFingerprint().equals(rewardFingerprint);
  }

  /** A row as a line of {@code episodes.jsonl}, without the line's end. */
  public String line() {
    try {
      return Json.MAPPER.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a row of texts and numbers can always be written", e);
    }
  }

  /**
   * Reads rows back.
   *
   * @param where what is read, for messages
   * @param lines one JSON object each
   * @throws InvalidInputException naming the line that is not a row
   */
  public static List<EpisodeRow> read(String where, List<String> lines) {
    List<EpisodeRow> rows = new ArrayList<>();
    for (String line : lines) {
      try {
        rows.add(Json.convert("no row", Json.MAPPER.readTree(line), EpisodeRow.class));
      } catch (JsonProcessingException | InvalidInputException e) {
        throw new InvalidInputException(
            where + ", line " + (rows.size() + 1) + ": not an episode: " + e.getMessage(), e);
      }
    }
    return rows;
  }

  /**
   * Reads a file of rows, or all {@code .jsonl} files of a folder in the order of their names.
   *
   * @throws InvalidInputException naming file and line of what is not a row
   */
  public static List<EpisodeRow> readFiles(Path path) {
    try {
      if (!Files.isDirectory(path)) {
        return read(path.toString(), Files.readAllLines(path));
      }
      List<EpisodeRow> rows = new ArrayList<>();
      try (Stream<Path> files = Files.list(path)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".jsonl")).sorted().toList()) {
          rows.addAll(read(file.toString(), Files.readAllLines(file)));
        }
      }
      return rows;
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + path, e);
    }
  }
}
