package org.vstar.model.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Turn;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;

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
    assertThat(a.sequences().get(0).tokens()).isEqualTo(b.sequences().get(0).tokens());
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
  void aFewEpisodesAreSharedAmongThreadsThatHaveSlotsForAll() {
    List<Integer> slots = Collections.synchronizedList(new ArrayList<>());
    Engine counting =
        (Engine)
            Proxy.newProxyInstance(
                Engine.class.getClassLoader(),
                new Class<?>[] {Engine.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("generator")) {
                    slots.add((Integer) arguments[0]);
                  }
                  return method.invoke(policy.engine(), arguments);
                });
    Policy counted = new Policy(counting, policy.tokenizer(), policy.chat());
    new Rollouts(shop, counted, SmallShop.CONSTRAINED).run(SmallShop.requests(shop, 5), 32, 2);
    assertThat(slots).containsExactly(3, 3);
  }

  @Test
  void anotherSeedGivesAnotherEpisode() {
    Request request = SmallShop.requests(shop, 1).get(0);
    Request other = new Request(request.task(), request.sampleIndex(), request.seed() + 1);
    List<Trajectory> two = run(SmallShop.FREE, List.of(request, other), 2, 1);
    assertThat(two.get(0).sequences().get(0).tokens())
        .isNotEqualTo(two.get(1).sequences().get(0).tokens());
  }

  @Test
  void logProbabilitiesFromSamplingAreThoseOfScoringToTheLastBit() {
    for (SamplingConfig sampling :
        List.of(
            SmallShop.CONSTRAINED,
            SmallShop.FREE,
            new SamplingConfig(0.7, 1, 16, false, true),
            noRepeat(false),
            noRepeat(true),
            new SamplingConfig(1, 1, 16, true, true, null, null, 3, true))) {
      List<Trajectory> trajectories = run(sampling, SmallShop.requests(shop, 10), 4, 1);
      List<Sequence> sequences =
          trajectories.stream().flatMap(t -> t.sequences().stream()).toList();
      float[][] scored = policy.engine().scorer(sampling.temperature()).logProbabilities(sequences);
      for (int i = 0; i < scored.length; i++) {
        assertThat(trajectories.get(i).logProbabilities()).isEqualTo(scored[i]);
      }
    }
  }

  /** Cold, so that a policy without training says the same again and again. */
  private static SamplingConfig noRepeat(boolean constrain) {
    return new SamplingConfig(0.2, 1, 24, true, constrain, null, null, 3, false);
  }

  private static int repeatedRuns(Trajectory t) {
    Sequence sequence = t.sequences().get(0);
    int repeated = 0;
    for (int begin = sequence.agent().nextSetBit(0); begin >= 0; ) {
      int end = sequence.agent().nextClearBit(begin);
      Set<List<Integer>> runs = new HashSet<>();
      for (int i = begin; i + 3 <= end; i++) {
        int[] tokens = sequence.tokens();
        repeated += runs.add(List.of(tokens[i], tokens[i + 1], tokens[i + 2])) ? 0 : 1;
      }
      begin = sequence.agent().nextSetBit(end);
    }
    return repeated;
  }

  @Test
  void noRunOfTokensComesTwiceInAnAnswerWhereItMustNot() {
    List<Request> requests = SmallShop.requests(shop, 12);
    SamplingConfig once = noRepeat(false);
    SamplingConfig free = new SamplingConfig(0.2, 1, 24, true, false);
    assertThat(run(free, requests, 4, 1)).anyMatch(t -> repeatedRuns(t) > 0);
    assertThat(run(once, requests, 4, 1)).allMatch(t -> repeatedRuns(t) == 0);
    assertThat(run(once.greedy(), requests, 4, 1)).allMatch(t -> repeatedRuns(t) == 0);
    for (Trajectory t : run(noRepeat(true), requests, 4, 1)) {
      assertThat(t.turns()).allMatch(turn -> turn.outcome().valid());
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
    assertThat(t.sequences().get(0).tokens().length).isLessThanOrEqualTo(SmallShop.SHAPE.context());
    assertThat(t.turns()).isNotEmpty();
  }

  @Test
  void anEpisodeHasNoMoreTokensThanSamplingAllows() {
    SamplingConfig wordy = new SamplingConfig(1, 1, 30, true, false, 90, null, null, false);
    for (Trajectory t : run(wordy, SmallShop.requests(shop, 6), 3, 1)) {
      assertThat(t.stopReason()).isEqualTo(StopReason.CONTEXT_FULL);
      assertThat(t.sequences().get(0).tokens().length).isLessThanOrEqualTo(90);
    }
  }

  @Test
  void anAnswerThatWasCutIsClosedBeforeTheNextObservationAndTheEndIsNotTheAgents() {
    int end = policy.chat().stopTokens(policy.tokenizer()).iterator().next();
    SamplingConfig brief = new SamplingConfig(1, 1, 3, true, false);
    int cut = 0;
    for (Trajectory t : new Rollouts(shop, policy, brief).run(SmallShop.requests(shop, 6), 3, 1)) {
      Sequence sequence = t.sequences().get(0);
      int last = sequence.tokens().length - 1;
      for (int i = 0; i < last; i++) {
        boolean over = sequence.agent().get(i) && !sequence.agent().get(i + 1);
        if (over && sequence.tokens()[i] != end) {
          assertThat(sequence.tokens()[i + 1]).isEqualTo(end);
          cut++;
        }
      }
      assertThat(t.logProbabilities())
          .isEqualTo(policy.engine().scorer(1).logProbabilities(List.of(sequence))[0]);
    }
    assertThat(cut).isPositive();
  }

  /** How often something else than the end of an answer comes behind the tag that closes it. */
  private int goesOnBehindItsAction(Trajectory t, int end) {
    Sequence sequence = t.sequences().get(0);
    int close = policy.tokenizer().id(shop.answerFormat().close());
    int goesOn = 0;
    for (int i = 0; i < sequence.tokens().length - 1; i++) {
      boolean closes = sequence.agent().get(i) && sequence.tokens()[i] == close;
      goesOn += closes && sequence.tokens()[i + 1] != end ? 1 : 0;
    }
    return goesOn;
  }

  @Test
  void anAnswerThatStopsAtItsActionIsClosedThereAndTheEndIsNotTheAgents() {
    int end = policy.chat().stopTokens(policy.tokenizer()).iterator().next();
    SamplingConfig free = new SamplingConfig(1, 1, 40, true, false);
    SamplingConfig stops = new SamplingConfig(1, 1, 40, true, false, null, null, null, true);
    List<Request> requests = SmallShop.requests(shop, 40);
    assertThat(run(free, requests, 8, 1)).anyMatch(t -> goesOnBehindItsAction(t, end) > 0);
    int stopped = 0;
    for (Trajectory t : run(stops, requests, 8, 1)) {
      assertThat(goesOnBehindItsAction(t, end)).isZero();
      Sequence sequence = t.sequences().get(0);
      for (int i = 1; i < sequence.tokens().length; i++) {
        boolean closed = sequence.agent().get(i - 1) && !sequence.agent().get(i);
        int close = policy.tokenizer().id(shop.answerFormat().close());
        stopped += closed && sequence.tokens()[i - 1] == close ? 1 : 0;
      }
      assertThat(t.logProbabilities())
          .isEqualTo(policy.engine().scorer(1).logProbabilities(List.of(sequence))[0]);
    }
    assertThat(stopped).isPositive();
  }

  @Test
  void whoStopsAtTheActionNeverWritesTheEndInAnyWindow() {
    int end = policy.chat().stopTokens(policy.tokenizer()).iterator().next();
    SamplingConfig stops = new SamplingConfig(1, 1, 16, true, true, null, 2, null, true);
    for (Trajectory t : run(stops, SmallShop.requests(shop, 12), 4, 1)) {
      assertThat(t.turns()).allMatch(turn -> turn.outcome().valid());
      int written = 0;
      for (Sequence sequence : t.sequences()) {
        int[] tokens = sequence.tokens();
        assertThat(sequence.agent().stream().map(i -> tokens[i])).doesNotContain(end);
        float[] scored = policy.engine().scorer(1).logProbabilities(List.of(sequence))[0];
        for (float p : scored) {
          assertThat(t.logProbabilities()[written++]).isEqualTo(p);
        }
      }
      assertThat(written).isEqualTo(t.logProbabilities().length);
    }
  }

  @Test
  void aSlipOfADemonstratorIsReadAndNotImitated() {
    List<Turn> turns = run(SmallShop.CONSTRAINED, SmallShop.requests(shop, 1), 1, 1).get(0).turns();
    Turn first = turns.get(0);
    Turn slip = new Turn(first.observation(), first.answer(), first.outcome(), true);
    List<Turn> slipped = new ArrayList<>(turns);
    slipped.set(0, slip);
    Sequence faultless = sequence(turns);
    Sequence marked = sequence(slipped);
    assertThat(marked.tokens()).isEqualTo(faultless.tokens());
    int answer = policy.chat().answer(policy.tokenizer(), answer(first)).length;
    assertThat(marked.agentTokens()).isEqualTo(faultless.agentTokens() - answer);
    assertThat(marked.agent().length()).isEqualTo(faultless.agent().length());
  }

  private Sequence sequence(List<Turn> turns) {
    return Demonstrations.sequences(
            turns,
            policy.chat(),
            policy.tokenizer(),
            shop.answerFormat(),
            SmallShop.CONSTRAINED,
            512)
        .get(0);
  }

  @Test
  void aPolicyThatSeesTheLastTurnsReadsTheTaskAndThoseAlone() {
    SamplingConfig lastTwo = new SamplingConfig(1, 1, 16, true, true, null, 2, null, false);
    for (Trajectory t : run(lastTwo, SmallShop.requests(shop, 8), 3, 2)) {
      List<Turn> turns = t.turns();
      assertThat(t.sequences()).hasSize(Math.max(1, turns.size() - 1));
      for (int w = 1; w < t.sequences().size(); w++) {
        Sequence window = t.sequences().get(w);
        List<Turn> seen =
            List.of(
                new Turn(
                    turns.get(0).observation() + "\n" + turns.get(w).observation(),
                    turns.get(w).answer(),
                    turns.get(w).outcome()),
                turns.get(w + 1));
        Sequence whole =
            Demonstrations.sequences(
                    seen,
                    policy.chat(),
                    policy.tokenizer(),
                    shop.answerFormat(),
                    SmallShop.CONSTRAINED,
                    512)
                .get(0);
        assertThat(window.tokens()).isEqualTo(whole.tokens());
        int answer = policy.chat().answer(policy.tokenizer(), answer(turns.get(w + 1))).length;
        assertThat(window.agentTokens()).isEqualTo(answer);
      }
    }
  }

  private String answer(Turn turn) {
    return shop.answerFormat().write(turn.answer(), true);
  }

  @Test
  void whereverTheContextEndsATrajectoryCanBeScored() {
    for (int context : new int[] {48, 57, 66, 75, 84, 93, 102, 111}) {
      Policy small = SmallShop.policy(shop, 3, context, EngineOptions.ONE_THREAD);
      List<Trajectory> trajectories =
          new Rollouts(shop, small, SmallShop.CONSTRAINED).run(SmallShop.requests(shop, 12), 6, 1);
      assertThat(trajectories)
          .anyMatch(t -> t.stopReason() == StopReason.CONTEXT_FULL)
          .allMatch(t -> t.sequences().get(0).tokens().length <= context);
      List<Sequence> sequences =
          trajectories.stream().flatMap(t -> t.sequences().stream()).toList();
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
        .hasMessageContaining("does not fit into the model's context or sampling.maxTokens, 30");
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
      Sequence s = t.sequences().get(0);
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
}
