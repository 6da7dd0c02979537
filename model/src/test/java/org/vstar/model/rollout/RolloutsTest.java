package org.vstar.model.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.ActionGrammar;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Rollouts.Request;

class RolloutsTest {

  private final Environment shop = SmallShop.environment();
  private final Policy policy = SmallShop.policy(shop, 3);

  private List<Trajectory> run(
      SamplingConfig sampling, List<Request> requests, int slots, int threads) {
    return new Rollouts(shop, policy, sampling).run(requests, slots, threads);
  }

  private static void assertSame(Trajectory a, Trajectory b) {
    assertThat(a.task()).isEqualTo(b.task());
    assertThat(a.turns()).isEqualTo(b.turns());
    assertThat(a.sequence().tokens()).isEqualTo(b.sequence().tokens());
    assertThat(a.logProbabilities()).isEqualTo(b.logProbabilities());
  }

  @Test
  void anEpisodeDoesNotDependOnItsNeighboursOnSlotsOrOnThreads() {
    List<Request> requests = SmallShop.requests(shop, 24);
    List<Trajectory> one = run(SmallShop.CONSTRAINED, requests, 1, 1);
    List<Trajectory> many = run(SmallShop.CONSTRAINED, requests, 7, 3);
    List<Request> reversed = new ArrayList<>(requests);
    Collections.reverse(reversed);
    List<Trajectory> other = run(SmallShop.CONSTRAINED, reversed, 24, 1);
    for (int i = 0; i < requests.size(); i++) {
      assertSame(one.get(i), many.get(i));
      assertSame(one.get(i), other.get(requests.size() - 1 - i));
    }
  }

  @Test
  void anotherSeedGivesAnotherEpisode() {
    Request request = SmallShop.requests(shop, 1).get(0);
    Request other = new Request(request.task(), request.sampleIndex(), request.seed() + 1);
    List<Trajectory> two = run(SmallShop.FREE, List.of(request, other), 2, 1);
    assertThat(two.get(0).sequence().tokens()).isNotEqualTo(two.get(1).sequence().tokens());
  }

  @Test
  void logProbabilitiesFromSamplingAreThoseOfScoringToTheLastBit() {
    for (SamplingConfig sampling :
        List.of(
            SmallShop.CONSTRAINED, SmallShop.FREE, new SamplingConfig(0.7, 1, 16, false, true))) {
      List<Trajectory> trajectories = run(sampling, SmallShop.requests(shop, 10), 4, 1);
      List<Sequence> sequences = trajectories.stream().map(Trajectory::sequence).toList();
      float[][] scored = policy.engine().scorer(sampling.temperature()).logProbabilities(sequences);
      for (int i = 0; i < scored.length; i++) {
        assertThat(trajectories.get(i).logProbabilities()).isEqualTo(scored[i]);
      }
    }
  }

  @Test
  void constrainedAnswersAlwaysHaveTheFormAndALegalAction() {
    for (boolean think : new boolean[] {true, false}) {
      SamplingConfig sampling = new SamplingConfig(1.5, 1, 16, think, true);
      for (Trajectory t : run(sampling, SmallShop.requests(shop, 30), 8, 2)) {
        assertThat(t.turns()).allMatch(turn -> turn.outcome().valid());
      }
    }
  }

  @Test
  void whatDoesNotParseSpendsTheTurnAndPaysThePenalty() {
    for (Trajectory t : run(SmallShop.FREE, SmallShop.requests(shop, 5), 5, 1)) {
      assertThat(t.stopReason()).isEqualTo(StopReason.OUT_OF_TURNS);
      assertThat(t.turns()).hasSize(shop.maxTurns());
      assertThat(t.turns().stream().map(Turn::outcome)).allMatch(o -> !o.valid());
      assertThat(t.episodeReturn()).isBetween(-0.61, -0.59);
    }
  }

  @Test
  void anEpisodeThatNoLongerFitsTheContextStopsAndSaysSo() {
    SamplingConfig wordy = new SamplingConfig(1, 1, 200, true, false);
    Trajectory t = run(wordy, SmallShop.requests(shop, 1), 1, 1).get(0);
    assertThat(t.stopReason()).isEqualTo(StopReason.CONTEXT_FULL);
    assertThat(t.sequence().tokens().length).isLessThanOrEqualTo(SmallShop.SHAPE.context());
    assertThat(t.turns()).isNotEmpty();
  }

  @Test
  void whereverTheContextEndsATrajectoryCanBeScored() {
    for (int context : new int[] {48, 57, 66, 75, 84, 93, 102, 111}) {
      Policy small = SmallShop.policy(shop, 3, context, EngineOptions.ONE_THREAD);
      List<Trajectory> trajectories =
          new Rollouts(shop, small, SmallShop.CONSTRAINED).run(SmallShop.requests(shop, 12), 6, 1);
      assertThat(trajectories)
          .anyMatch(t -> t.stopReason() == StopReason.CONTEXT_FULL)
          .allMatch(t -> t.sequence().tokens().length <= context);
      List<Sequence> sequences = trajectories.stream().map(Trajectory::sequence).toList();
      assertThat(small.engine().scorer(1).logProbabilities(sequences)).isNotEmpty();
    }
  }

  @Test
  void aPromptThatDoesNotFitTheContextIsRefused() {
    Policy small = SmallShop.policy(shop, 3, 30, EngineOptions.ONE_THREAD);
    assertThatThrownBy(
            () ->
                new Rollouts(shop, small, SmallShop.CONSTRAINED)
                    .run(SmallShop.requests(shop, 1), 1, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("does not fit into model.context 30");
  }

  @Test
  void aTurnTooShortForTheLongestLegalAnswerIsRefusedWhenConstrained() {
    assertThatThrownBy(() -> new Rollouts(shop, policy, new SamplingConfig(1, 1, 8, true, true)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("sampling.maxTokensPerTurn");
  }

  @Test
  void greedyEpisodesDoNotDependOnTheSeed() {
    Request request = SmallShop.requests(shop, 1).get(0);
    Request other = new Request(request.task(), 0, 99);
    List<Trajectory> two = run(SmallShop.CONSTRAINED.greedy(), List.of(request, other), 2, 1);
    assertThat(two.get(0).turns()).isEqualTo(two.get(1).turns());
  }

  @Test
  void observationTokensAreNeverTheAgents() {
    for (Trajectory t : run(SmallShop.CONSTRAINED, SmallShop.requests(shop, 6), 6, 1)) {
      Sequence s = t.sequence();
      assertThat(s.agentTokens()).isEqualTo(t.logProbabilities().length);
      int observation = policy.tokenizer().id("<|obs|>");
      int from = -1;
      for (int i = 0; i < s.tokens().length; i++) {
        from = s.tokens()[i] == observation ? i : from;
        boolean handedOver = s.tokens()[i] == policy.tokenizer().id("<|agent|>");
        if (handedOver) {
          assertThat(s.agent().nextSetBit(from)).isIn(i + 1, -1);
        }
      }
    }
  }

  /** The small shop, in which a task's second turn goes wrong. */
  private record Faulty(Environment shop, String task, double reward) implements Environment {
    @Override
    public String name() {
      return shop.name();
    }

    @Override
    public String fingerprint() {
      return shop.fingerprint();
    }

    @Override
    public List<Task> tasks(Split split) {
      return shop.tasks(split);
    }

    @Override
    public int maxTurns() {
      return shop.maxTurns();
    }

    @Override
    public ActionGrammar actionGrammar() {
      return shop.actionGrammar();
    }

    @Override
    public Episode start(Task start) {
      Episode episode = shop.start(start);
      return new Episode() {
        private int turns;

        @Override
        public String observation() {
          return episode.observation();
        }

        @Override
        public Outcome step(String action) {
          Outcome outcome = episode.step(action);
          if (!start.id().equals(task) || turns++ < 1) {
            return outcome;
          }
          if (reward == 0) {
            throw new IllegalStateException("out of\nstock");
          }
          return new Outcome(reward, false, false, true, "odd");
        }
      };
    }
  }

  @Test
  void anEpisodeWhoseEnvironmentFailsIsNamedAndTheOthersGoOn() {
    List<Request> requests = SmallShop.requests(shop, 6);
    List<Trajectory> whole = run(SmallShop.CONSTRAINED, requests, 2, 1);
    int at = 0;
    while (whole.get(at).turns().size() < 2) {
      at++;
    }
    Request chosen = requests.get(at);
    for (double reward : new double[] {0, Double.NaN, Double.NEGATIVE_INFINITY}) {
      Faulty faulty = new Faulty(shop, chosen.task().id(), reward);
      Rollouts rollouts = new Rollouts(faulty, policy, SmallShop.CONSTRAINED);
      Rollouts.Played played = rollouts.play(requests, 2, 2);
      assertThat(played.failures())
          .singleElement()
          .hasToString(
              String.format(
                  "task %s, sample %d (seed %d), turn 1: the environment failed: %s",
                  chosen.task().id(),
                  chosen.sampleIndex(),
                  chosen.seed(),
                  played.failures().get(0).reason()));
      assertThat(played.failures().get(0).reason())
          .contains(reward == 0 ? "out of stock at " : "the reward is " + reward);
      assertThat(played.trajectories()).hasSize(5);
      for (int i = 0; i < 5; i++) {
        assertSame(played.trajectories().get(i), whole.get(i < at ? i : i + 1));
      }
      assertThatThrownBy(() -> rollouts.run(requests, 2, 1))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("task " + chosen.task().id());
    }
  }
}
