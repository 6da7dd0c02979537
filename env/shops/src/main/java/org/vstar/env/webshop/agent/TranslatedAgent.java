package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vstar.common.Seeds;
import org.vstar.env.Answer;
import org.vstar.env.Environment;
import org.vstar.env.Outcome;
import org.vstar.env.Player;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.dialogue.WebShopEpisode;

/**
 * A shopper in whatever dialogue the environment holds: it acts on the session behind an episode,
 * and what it does is translated, so that its turns are those of an agent of that dialogue.
 *
 * @param shopper who acts
 */
public record TranslatedAgent(Shopper shopper) implements Player {

  @Override
  public List<Turn> play(Environment environment, Task task, long seed) {
    long world = Seeds.derive(seed, "environment");
    return playEpisode(
        (WebShopEpisode) environment.start(task, world), environment.maxTurns(), seed);
  }

  /** Plays an episode that has just begun. */
  public List<Turn> playEpisode(WebShopEpisode episode, int maxTurns, long seed) {
    SplittableRandom random = Seeds.random(seed, "agent");
    List<Shopper.Visit> visits = new ArrayList<>();
    List<Turn> turns = new ArrayList<>();
    Outcome outcome;
    do {
      ShopPage page = ShopPage.of(episode.session());
      Answer answer = shopper.answer(List.copyOf(visits), page, random);
      String shown = episode.observation();
      String action = episode.dialogue().fromShop(episode.session(), answer.action());
      Answer written =
          new Answer(
              episode.words().substituted(answer.thought()), episode.words().substituted(action));
      outcome = episode.step(written.action());
      visits.add(new Shopper.Visit(page, answer, outcome.valid()));
      turns.add(new Turn(shown, written, outcome));
    } while (!outcome.done() && visits.size() < maxTurns);
    return turns;
  }
}
