package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vstar.common.Seeds;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.Environment;
import org.vstar.env.Outcome;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.dialogue.WebShopEpisode;

/**
 * A shopper that reads WebShop's own text and speaks its own language, whatever dialogue the
 * environment holds: what it does is translated, so that its turns are those of an agent of that
 * dialogue.
 *
 * @param shopper answers WebShop's text with {@code search[…]} and {@code click[…]}
 */
public record TranslatedAgent(Agent shopper) implements Agent {

  @Override
  public Answer answer(List<Turn> history, String observation, SplittableRandom random) {
    return shopper.answer(history, observation, random);
  }

  @Override
  public List<Turn> play(Environment environment, Task task, long seed) {
    long world = Seeds.derive(seed, "environment");
    return playEpisode(
        (WebShopEpisode) environment.start(task, world), environment.maxTurns(), seed);
  }

  /** Plays an episode that has just begun. */
  public List<Turn> playEpisode(WebShopEpisode episode, int maxTurns, long seed) {
    SplittableRandom random = Seeds.random(seed, "agent");
    List<Turn> own = new ArrayList<>();
    List<Turn> translated = new ArrayList<>();
    Outcome outcome;
    do {
      String text = episode.session().page().text();
      Answer answer = shopper.answer(List.copyOf(own), text, random);
      String shown = episode.observation();
      String action = episode.dialogue().fromShop(episode.session(), answer.action());
      Answer written =
          new Answer(
              episode.words().substituted(answer.thought()), episode.words().substituted(action));
      outcome = episode.step(written.action());
      own.add(new Turn(text, answer, outcome));
      translated.add(new Turn(shown, written, outcome));
    } while (!outcome.done() && own.size() < maxTurns);
    return translated;
  }
}
