package org.vstar.model.rollout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.vstar.common.Parallel;
import org.vstar.env.Environment;
import org.vstar.env.Task;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.policy.AnswerConstraint;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;

/**
 * Rolls a policy out. Episodes run side by side in the slots of a generator; one that ends leaves,
 * and a waiting one takes its slot. What an episode does depends on its task, its seed and the
 * policy alone, not on its neighbours or on the number of threads.
 */
public final class Rollouts {

  /** An episode to be run. */
  public record Request(Task task, int sampleIndex, long seed) implements java.io.Serializable {}

  private final Environment environment;
  private final Policy policy;
  private final SamplingConfig sampling;
  private final AnswerConstraint constraint;

  public Rollouts(Environment environment, Policy policy, SamplingConfig sampling) {
    this.environment = environment;
    this.policy = policy;
    this.sampling = sampling;
    this.constraint =
        sampling.constrain()
            ? new AnswerConstraint(
                environment.actionGrammar(), environment.answerFormat(), policy, sampling)
            : null;
  }

  /**
   * Runs episodes.
   *
   * @param slots how many run side by side in a thread
   * @param threads how many threads share the work
   * @return one trajectory for each request, in order
   */
  public List<Trajectory> run(List<Request> requests, int slots, int threads) {
    Trajectory[] results = new Trajectory[requests.size()];
    AtomicInteger next = new AtomicInteger();
    Parallel.run(
        threads,
        IntStream.range(0, threads)
            .<Runnable>mapToObj(i -> () -> work(requests, results, next, slots))
            .toList());
    return Arrays.asList(results);
  }

  private void work(List<Request> requests, Trajectory[] results, AtomicInteger next, int slots) {
    List<Integer> free = new ArrayList<>(IntStream.range(0, slots).boxed().toList());
    List<LiveEpisode> live = new ArrayList<>();
    try (Generator generator = policy.engine().generator(slots)) {
      while (true) {
        fill(free, live, requests, next, generator);
        if (live.isEmpty()) {
          return;
        }
        List<Draw> draws =
            generator.extend(
                live.stream().map(LiveEpisode::pending).toList(),
                live.stream().map(LiveEpisode::choice).toList());
        List<LiveEpisode> going = new ArrayList<>();
        for (int row = 0; row < live.size(); row++) {
          LiveEpisode episode = live.get(row);
          episode.take(draws.get(row));
          Trajectory trajectory = episode.result();
          if (trajectory == null) {
            going.add(episode);
          } else {
            results[episode.index()] = trajectory;
            free.add(episode.slot());
          }
        }
        live = going;
      }
    }
  }

  /** Begins waiting episodes in free slots. */
  private void fill(
      List<Integer> free,
      List<LiveEpisode> live,
      List<Request> requests,
      AtomicInteger next,
      Generator generator) {
    while (!free.isEmpty()) {
      int index = next.getAndIncrement();
      if (index >= requests.size()) {
        return;
      }
      int slot = free.remove(free.size() - 1);
      generator.reset(slot);
      live.add(
          new LiveEpisode(
              requests.get(index), index, slot, environment, policy, sampling, constraint));
    }
  }
}
