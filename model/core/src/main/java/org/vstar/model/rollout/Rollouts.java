package org.vstar.model.rollout;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Parallel;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Task;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.policy.ActionEnd;
import org.vstar.model.policy.AnswerConstraint;
import org.vstar.model.policy.BeamConfig;
import org.vstar.model.policy.NoRepeat;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.EpisodeRunner.EnvironmentFailed;

/**
 * Rolls a policy out. Episodes run side by side in the slots of a generator; one that ends leaves,
 * and a waiting one takes its slot. What an episode does depends on its task, its seed and the
 * policy alone, not on its neighbours or on the number of threads.
 */
public final class Rollouts {

  private final Environment environment;
  private final Policy policy;
  private final SamplingConfig sampling;
  private final AnswerDraft.Rules rules;
  private final BeamConfig beams;
  private final boolean remembers;
  private final int policyVersion;
  private final RetryPolicy retryPolicy;
  private final Runnable turnTaken;

  /** Rolls out a policy that is not being trained. */
  public Rollouts(Environment environment, Policy policy, SamplingConfig sampling) {
    this(environment, policy, sampling, 0, RetryPolicy.ONE_ATTEMPT);
  }

  /**
   * Rolls out a policy that is being trained.
   *
   * @param policyVersion how many updates it has behind it
   * @param retryPolicy for failures of the environment
   */
  public Rollouts(
      Environment environment,
      Policy policy,
      SamplingConfig sampling,
      int policyVersion,
      RetryPolicy retryPolicy) {
    this(environment, policy, sampling, policyVersion, retryPolicy, () -> {});
  }

  /**
   * Rolls out a policy, and tells of each turn.
   *
   * @param turnTaken is called after each turn, by the thread that plays it
   */
  public Rollouts(
      Environment environment,
      Policy policy,
      SamplingConfig sampling,
      int policyVersion,
      RetryPolicy retryPolicy,
      Runnable turnTaken) {
    this(environment, policy, sampling, policyVersion, retryPolicy, turnTaken, null, false);
  }

  private Rollouts(
      Environment environment,
      Policy policy,
      SamplingConfig sampling,
      int policyVersion,
      RetryPolicy retryPolicy,
      Runnable turnTaken,
      BeamConfig beams,
      boolean remembers) {
    this.beams = beams;
    this.remembers = remembers;
    this.turnTaken = turnTaken;
    this.policyVersion = policyVersion;
    this.retryPolicy = retryPolicy;
    this.environment = environment;
    this.policy = policy;
    this.sampling = sampling;
    this.rules =
        new AnswerDraft.Rules(
            sampling.constrain()
                ? new AnswerConstraint(
                    environment.actionGrammar(), environment.answerFormat(), policy, sampling)
                : null,
            sampling.noRepeat() == null
                ? null
                : new NoRepeat(sampling.noRepeat(), policy.engine().vocabulary()),
            sampling.stopAtAction()
                ? new ActionEnd(policy.tokenizer(), environment.answerFormat())
                : null,
            policy.chat().stopTokens(policy.tokenizer()),
            sampling.maxTokensPerTurn());
  }

  /** The same, but answers are searched for instead of sampled. */
  public Rollouts searching(BeamConfig own) {
    return new Rollouts(
        environment, policy, sampling, policyVersion, retryPolicy, turnTaken, own, remembers);
  }

  /**
   * The same, but what actions led to before is not played again, where the environment is
   * deterministic. Trajectories are the same.
   */
  public Rollouts rememberingOutcomes() {
    return new Rollouts(
        environment, policy, sampling, policyVersion, retryPolicy, turnTaken, beams, true);
  }

  /**
   * What became of episodes.
   *
   * @param trajectories in the order of the requests, less those that failed
   * @param failures of the others, in the same order
   * @param sparedTurns turns that the environment did not have to take
   */
  public record Played(
      List<Trajectory> trajectories, List<EpisodeFailure> failures, long sparedTurns) {

    /**
     * Refuses failures.
     *
     * @throws InvalidInputException naming task and seed if the environment of an episode failed
     */
    public Played requireAll() {
      if (!failures.isEmpty()) {
        throw new InvalidInputException(failures.get(0).toString());
      }
      return this;
    }
  }

  /**
   * Runs episodes.
   *
   * @param slots how many run side by side in a thread
   * @param threads how many threads share the work
   * @return one trajectory for each request, in order
   * @throws InvalidInputException naming task and seed if the environment of an episode failed
   */
  public List<Trajectory> run(List<Request> requests, int slots, int threads) {
    return play(requests, slots, threads).requireAll().trajectories;
  }

  /**
   * Runs episodes, and goes on with the others where the environment of one fails.
   *
   * @param slots how many run side by side in a thread
   * @param threads how many threads share the work
   */
  public Played play(List<Request> requests, int slots, int threads) {
    Results results = new Results(requests.size());
    Optional<OutcomeCache> cache =
        remembers && environment.deterministic()
            ? Optional.of(new OutcomeCache(environment))
            : Optional.empty();
    Worlds worlds = cache.<Worlds>map(own -> own::start).orElse(environment::start);
    AtomicInteger next = new AtomicInteger();
    // The first thread would take all of a few episodes.
    int share = Math.max(1, (requests.size() + threads - 1) / threads);
    int own = Math.min(slots, share);
    Parallel.run(
        threads,
        IntStream.range(0, threads)
            .<Runnable>mapToObj(i -> () -> work(requests, results, next, own, worlds))
            .toList());
    return new Played(
        Arrays.stream(results.trajectories).filter(Objects::nonNull).toList(),
        Arrays.stream(results.failures).filter(Objects::nonNull).toList(),
        cache.map(OutcomeCache::spared).orElse(0L));
  }

  /** By the number of the request; each place is written by one thread. */
  private record Results(Trajectory[] trajectories, EpisodeFailure[] failures, int[] attempts) {
    Results(int requests) {
      this(new Trajectory[requests], new EpisodeFailure[requests], new int[requests]);
    }
  }

  /**
   * Which episodes a thread has to play. One that failed comes again when all others have begun:
   * what is wrong with its environment may have passed by then.
   */
  private record Waiting(AtomicInteger next, int requests, Deque<Integer> again) {
    Integer poll() {
      int fresh = next.getAndIncrement();
      return fresh < requests ? Integer.valueOf(fresh) : again.poll();
    }
  }

  /** Where episodes begin. */
  @FunctionalInterface
  interface Worlds {
    Episode start(Task task, long worldSeed);
  }

  private void work(
      List<Request> requests, Results results, AtomicInteger next, int slots, Worlds worlds) {
    Deque<Integer> free = new ArrayDeque<>(IntStream.range(0, slots).boxed().toList());
    List<EpisodeRunner> live = new ArrayList<>();
    Waiting waiting = new Waiting(next, requests.size(), new ArrayDeque<>());
    Decoding decoding = beams == null ? Decoding.sampling() : new BeamDecoding(beams, slots);
    try (Generator generator = policy.engine().generator(decoding.slots(slots));
        TimedCalls calls = new TimedCalls(retryPolicy.turnTimeoutSeconds())) {
      while (true) {
        fill(free, live, requests, results, waiting, generator, calls, worlds);
        if (live.isEmpty()) {
          return;
        }
        live.stream()
            .filter(EpisodeRunner::opensWindow)
            .forEach(episode -> generator.reset(episode.slot()));
        List<List<Draw>> draws = decoding.step(live, generator);
        List<EpisodeRunner> going = new ArrayList<>();
        for (int row = 0; row < live.size(); row++) {
          EpisodeRunner episode = live.get(row);
          if (goesOn(episode, draws.get(row), results, waiting)) {
            going.add(episode);
          } else {
            free.push(episode.slot());
          }
        }
        live = going;
      }
    }
  }

  private boolean goesOn(
      EpisodeRunner episode, List<Draw> draws, Results results, Waiting waiting) {
    if (draws.isEmpty()) {
      return true;
    }
    try {
      episode.take(draws);
    } catch (EnvironmentFailed e) {
      failed(episode.index(), e.failure(), results, waiting);
      return false;
    }
    Trajectory trajectory = episode.result();
    results.trajectories[episode.index()] = trajectory;
    return trajectory == null;
  }

  private void failed(int index, EpisodeFailure failure, Results results, Waiting waiting) {
    int attempts = ++results.attempts[index];
    if (attempts < retryPolicy.attempts()) {
      waiting.again.add(index);
    } else {
      results.failures[index] = failure.after(attempts);
    }
  }

  /** Begins waiting episodes in free slots. */
  private void fill(
      Deque<Integer> free,
      List<EpisodeRunner> live,
      List<Request> requests,
      Results results,
      Waiting waiting,
      Generator generator,
      TimedCalls calls,
      Worlds worlds) {
    while (!free.isEmpty()) {
      Integer index = waiting.poll();
      if (index == null) {
        return;
      }
      int slot = free.peek();
      generator.reset(slot);
      try {
        live.add(
            new EpisodeRunner(
                requests.get(index),
                index,
                slot,
                environment,
                worlds,
                policy,
                sampling,
                rules,
                policyVersion,
                calls,
                turnTaken));
        free.pop();
      } catch (EnvironmentFailed e) {
        failed(index, e.failure(), results, waiting);
      }
    }
  }
}
