package org.vstar.env.webshop.site;

import java.util.ArrayList;
import java.util.List;
import org.vstar.env.Answer;
import org.vstar.env.Outcome;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.env.webshop.dialogue.Dialogue;
import org.vstar.env.webshop.dialogue.WebShopEpisode;
import org.vstar.env.webshop.simulator.Session;

/** One person's episode; its methods are called by one thread at a time. */
final class Visit {
  private final Task task;
  private final WebShopEpisode episode;
  private final int maxTurns;
  private final List<Turn> turns = new ArrayList<>();

  Visit(WebShopEnvironment shop, Task task) {
    this.task = task;
    this.episode = shop.start(task);
    this.maxTurns = shop.maxTurns();
  }

  Task task() {
    return task;
  }

  Session session() {
    return episode.session();
  }

  List<Turn> turns() {
    return turns;
  }

  int turnsLeft() {
    return maxTurns - turns.size();
  }

  boolean over() {
    return turnsLeft() <= 0 || session().kind() == Session.Kind.DONE;
  }

  void act(Dialogue dialogue, String action) {
    String observation = episode.observation();
    String written = dialogue.fromShop(session(), action);
    Outcome outcome = episode.step(written);
    turns.add(new Turn(observation, new Answer("", written), outcome));
  }
}
