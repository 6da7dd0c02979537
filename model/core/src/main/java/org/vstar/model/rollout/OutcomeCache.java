package org.vstar.model.rollout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Task;

/**
 * What actions led to in a deterministic environment, by task. An episode that takes the same
 * actions as an earlier one is told what that one saw, and the environment is not asked. Where it
 * takes another action, the environment takes all of them from the beginning, within the time of
 * that turn. Safe for use by several threads.
 */
final class OutcomeCache {

  /**
   * What a task's actions have led to.
   *
   * @param outcome of the last action; null before the first
   * @param next by action
   */
  private record State(
      Outcome outcome, String observation, String stateKey, Map<String, State> next) {
    static State of(Outcome outcome, Episode episode) {
      boolean over = outcome != null && outcome.done();
      return new State(
          outcome,
          over ? null : episode.observation(),
          over ? null : episode.stateKey(),
          new ConcurrentHashMap<>());
    }

    /** Whether an episode can go on with it; what is not sound is a fault that may pass. */
    boolean isSound() {
      boolean over = outcome != null && outcome.done();
      return (over || observation != null && stateKey != null)
          && (outcome == null || Double.isFinite(outcome.reward()));
    }
  }

  private final Environment environment;
  private final Map<String, State> starts = new ConcurrentHashMap<>();
  private final LongAdder spared = new LongAdder();

  /**
   * An empty one.
   *
   * @param environment that is deterministic
   */
  OutcomeCache(Environment environment) {
    this.environment = environment;
  }

  /** Turns that the environment did not have to take, less those that it took again. */
  long spared() {
    return spared.sum();
  }

  /** Begins an episode. */
  Episode start(Task task, long worldSeed) {
    return new Remembered(task, worldSeed);
  }

  private final class Remembered implements Episode {
    private final Task task;
    private final long worldSeed;
    private Episode real;
    private State at;

    /** Actions that the real episode has not taken. */
    private final List<String> behind = new ArrayList<>();

    private Remembered(Task task, long worldSeed) {
      this.task = task;
      this.worldSeed = worldSeed;
      at = starts.get(task.id());
      if (at == null) {
        // Not within the map: an environment that hangs must hold up nobody else.
        real = environment.start(task, worldSeed);
        at = State.of(null, real);
        if (at.isSound()) {
          starts.putIfAbsent(task.id(), at);
        }
      }
    }

    @Override
    public String observation() {
      return at.observation;
    }

    @Override
    public String stateKey() {
      return at.stateKey;
    }

    @Override
    public Outcome step(String action) {
      if (at.outcome != null && at.outcome.done()) {
        throw new IllegalStateException("the episode is over");
      }
      State next = at.next.get(action);
      if (next == null) {
        Outcome outcome = real().step(action);
        if (outcome == null) {
          return null;
        }
        next = State.of(outcome, real);
        if (next.isSound()) {
          at.next.put(action, next);
        }
      } else {
        behind.add(action);
        spared.increment();
      }
      at = next;
      return at.outcome;
    }

    private Episode real() {
      if (real == null) {
        real = environment.start(task, worldSeed);
      }
      behind.forEach(real::step);
      spared.add(-behind.size());
      behind.clear();
      return real;
    }
  }
}
