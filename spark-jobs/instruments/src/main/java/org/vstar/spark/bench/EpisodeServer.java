package org.vstar.spark.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Answer;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.model.rollout.Request;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Plays the train tasks of a config with a program of another language: a JSON object a line comes
 * in at the standard input, one goes out for each.
 *
 * <ul>
 *   <li>{@code {}} asks for {@code prompts}, one for each task, and {@code maxTurns};
 *   <li>{@code {"task": 3, "seed": 7}} begins an episode: {@code episode} is its number;
 *   <li>{@code {"episode": 0, "text": "…"}} is what the agent wrote: {@code reward}, {@code
 *       success}, and {@code observation} if the episode goes on.
 * </ul>
 *
 * Answers are read as in rollouts.
 */
@Command(name = "episode-server")
public final class EpisodeServer implements Callable<Integer> {

  @Mixin private JobContext job;

  /** An episode on its way, and the turns it has had. */
  private static final class Running {
    private final Episode episode;
    private int turns;

    Running(Episode episode) {
      this.episode = episode;
    }
  }

  private final Map<Integer, Running> running = new HashMap<>();
  private int begun;

  /** Serves until the input ends. */
  public static void main(String[] args) {
    JobContext.main(new EpisodeServer(), args);
  }

  @Override
  public Integer call() throws IOException {
    serve(
        job.environment(),
        job.config().sampling().think(),
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
        new PrintStream(System.out, true, StandardCharsets.UTF_8));
    return 0;
  }

  /**
   * Answers each line until there is none.
   *
   * @param think whether answers have a thought
   */
  void serve(Environment environment, boolean think, BufferedReader in, PrintStream out)
      throws IOException {
    String line;
    while ((line = in.readLine()) != null) {
      out.println(answer(environment, think, Json.MAPPER.readTree(line)));
    }
  }

  private ObjectNode answer(Environment environment, boolean think, JsonNode asked) {
    if (asked.has("task")) {
      return begin(environment, asked.path("task").asInt(), asked.path("seed").asLong());
    } else if (asked.has("episode")) {
      return act(environment, think, asked.path("episode").asInt(), asked.path("text").asText());
    }
    ObjectNode all = Json.MAPPER.createObjectNode().put("maxTurns", environment.maxTurns());
    environment.tasks(Split.TRAIN).forEach(task -> all.withArray("prompts").add(task.prompt()));
    return all;
  }

  private ObjectNode begin(Environment environment, int task, long seed) {
    Request request = new Request(environment.tasks(Split.TRAIN).get(task), 0, seed);
    running.put(begun, new Running(environment.start(request.task(), request.environmentSeed())));
    return Json.MAPPER.createObjectNode().put("episode", begun++);
  }

  private ObjectNode act(Environment environment, boolean think, int number, String text) {
    Running own = running.get(number);
    if (own == null) {
      throw new InvalidInputException("no episode " + number + " is on its way");
    }
    Answer answer = environment.answerFormat().read(text, think);
    Outcome outcome = own.episode.step(answer.action());
    own.turns++;
    ObjectNode said =
        Json.MAPPER
            .createObjectNode()
            .put("reward", outcome.reward())
            .put("success", outcome.success());
    if (outcome.done() || own.turns >= environment.maxTurns()) {
      running.remove(number);
    } else {
      said.put("observation", own.episode.observation());
    }
    return said;
  }
}
