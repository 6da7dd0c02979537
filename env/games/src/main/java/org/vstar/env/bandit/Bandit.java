package org.vstar.env.bandit;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;

/**
 * Two arms: the safe one always pays a little, the risky one much or nothing, and more on average.
 * A task is one draw of the machine. Held-out tasks have other names for the arms.
 */
record Bandit(BanditConfig config) implements Environment {

  static final String NAME = "bandit";

  /** The safe arm and the risky one. */
  static List<String> arms(Split split) {
    return split == Split.TRAIN ? List.of("phoenix", "dragon") : List.of("librarian", "trader");
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String fingerprint() {
    return CanonicalJson.of(NAME, 2)
        .with("tasks", config.tasks())
        .with("seed", config.seed())
        .with("chance", config.chance())
        .fingerprint();
  }

  @Override
  public List<Task> tasks(Split split) {
    SplittableRandom random = Seeds.random(config.seed(), "tasks", split.word());
    String prompt = "choose " + String.join(" or ", arms(split));
    List<Task> tasks = new ArrayList<>();
    for (int i = 0; i < config.tasks(); i++) {
      boolean pays = random.nextDouble() < config.chance();
      String id = split.word() + "-" + i + (pays ? "-pays" : "-empty");
      tasks.add(new Task(id, NAME, split, prompt, "arms", id));
    }
    return tasks;
  }

  @Override
  public int maxTurns() {
    return 1;
  }

  @Override
  public boolean deterministic() {
    return true;
  }

  @Override
  public Episode start(Task task) {
    return new Episode() {
      @Override
      public String observation() {
        return task.prompt();
      }

      @Override
      public Outcome step(String action) {
        double risky = task.id().endsWith("-pays") ? 1 : 0;
        return switch (arms(task.split()).indexOf(action)) {
          case 0 -> new Outcome(0.1, true, false, true, "safe arm");
          case 1 -> new Outcome(risky, true, true, true, "risky arm");
          default -> new Outcome(-0.1, true, false, false, "invalid action");
        };
      }
    };
  }
}
