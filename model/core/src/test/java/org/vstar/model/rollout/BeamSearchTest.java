package org.vstar.model.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.ActionGrammar;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.BeamConfig;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;

/** Beam search, against all answers that there are. */
class BeamSearchTest {

  private static final List<String> WORDS = List.of("red", "green", "blue", "grey");
  private static final int LONGEST = 3;

  /** As wide as there are answers: nothing is lost. */
  private static final BeamConfig ALL = new BeamConfig(100, 1, 1e9);

  /** Two turns, in each of which some words are to be said. */
  private record Sayings(int maxTurns) implements Environment {
    @Override
    public String name() {
      return "sayings";
    }

    @Override
    public String fingerprint() {
      return "sayings";
    }

    @Override
    public List<Task> tasks(Split split) {
      return IntStream.range(0, 6)
          .mapToObj(
              i ->
                  new Task(
                      "t" + i, name(), split, WORDS.get(i % 4) + " " + WORDS.get(i / 2), "", ""))
          .toList();
    }

    @Override
    public ActionGrammar actionGrammar() {
      return new ActionGrammar(
          List.of(new ActionGrammar.Form("say", new ActionGrammar.Words(WORDS, LONGEST))));
    }

    @Override
    public Episode start(Task task) {
      return new Episode() {
        private String seen = task.prompt();

        @Override
        public String observation() {
          return seen;
        }

        @Override
        public Outcome step(String action) {
          seen = "red " + action.substring("say".length()).strip();
          return new Outcome(0, false, false, true, action);
        }
      };
    }
  }

  private static final SamplingConfig SAMPLING = new SamplingConfig(1, 1, 16, false, true);

  private final Environment environment = new Sayings(2);
  private final Policy policy = SmallShop.policy(environment, 4);

  private List<Request> requests() {
    return environment.tasks(Split.TRAIN).stream().map(task -> new Request(task, 0, 1)).toList();
  }

  private List<Trajectory> searched(BeamConfig beams, int slots, int threads) {
    return new Rollouts(environment, policy, SAMPLING)
        .searching(beams)
        .run(requests(), slots, threads);
  }

  private static double first(Trajectory played) {
    double sum = 0;
    for (int t = 0; t < played.turnTokens()[0]; t++) {
      sum += played.logProbabilities()[t];
    }
    return sum;
  }

  /** Σ ln π of every first answer of a task, by the scorer, and how many tokens each has. */
  private List<double[]> answers(Trajectory played) {
    Sequence own = played.sequences().get(0);
    int from = own.agent().nextSetBit(0);
    int open = own.tokens()[from];
    int say = own.tokens()[from + 1];
    int[] words = WORDS.stream().mapToInt(word -> policy.tokenizer().encodeText(word)[0]).toArray();
    int close = policy.tokenizer().id(environment.answerFormat().close());
    int end = policy.chat().stopTokens(policy.tokenizer()).iterator().next();
    List<Sequence> sequences = new ArrayList<>();
    for (int length = 1; length <= LONGEST; length++) {
      for (int which = 0; which < Math.pow(WORDS.size(), length); which++) {
        int[] tokens = java.util.Arrays.copyOf(own.tokens(), from + length + 4);
        tokens[from] = open;
        tokens[from + 1] = say;
        BitSet agent = new BitSet();
        agent.set(from, tokens.length);
        List<BitSet> allowed = new ArrayList<>(List.of(only(open), only(say)));
        for (int i = 0, rest = which; i < length; i++, rest /= WORDS.size()) {
          tokens[from + 2 + i] = words[rest % WORDS.size()];
          BitSet any = only(words);
          if (i > 0) {
            any.set(close);
          }
          allowed.add(any);
        }
        tokens[from + length + 2] = close;
        tokens[from + length + 3] = end;
        BitSet last = length < LONGEST ? only(words) : new BitSet();
        last.set(close);
        allowed.add(last);
        allowed.add(only(end));
        sequences.add(new Sequence(tokens, agent, allowed));
      }
    }
    List<double[]> answers = new ArrayList<>();
    try (Scorer scorer = policy.engine().scorer(1)) {
      for (float[] logPi : scorer.logProbabilities(sequences)) {
        double sum = 0;
        for (float p : logPi) {
          sum += p;
        }
        answers.add(new double[] {sum, logPi.length});
      }
    }
    return answers;
  }

  private static BitSet only(int... tokens) {
    BitSet set = new BitSet();
    for (int token : tokens) {
      set.set(token);
    }
    return set;
  }

  @Test
  void aSearchThatIsWideEnoughFindsTheBestOfAllAnswersWhateverTheLengthPenalty() {
    for (double penalty : new double[] {0, 1, 3}) {
      BeamConfig wide = new BeamConfig(ALL.width(), penalty, ALL.margin());
      for (Trajectory played : searched(wide, 2, 1)) {
        List<double[]> answers = answers(played);
        assertThat(answers.stream().mapToDouble(own -> Math.exp(own[0])).sum())
            .isCloseTo(1, within(1e-4));
        double best =
            answers.stream()
                .mapToDouble(own -> wide.score(own[0], (int) own[1]))
                .max()
                .orElseThrow();
        assertThat(wide.score(first(played), played.turnTokens()[0])).isCloseTo(best, within(1e-5));
      }
    }
  }

  @Test
  void whatIsFoundDoesNotDependOnNeighboursAndIsScoredAsItWasFoundToTheLastBit() {
    BeamConfig four = new BeamConfig(4, 1, 10);
    List<Trajectory> alone = searched(four, 1, 1);
    List<Trajectory> beside = searched(four, 4, 2);
    for (int i = 0; i < alone.size(); i++) {
      assertThat(alone.get(i).turns()).hasSize(2).isEqualTo(beside.get(i).turns());
      assertThat(alone.get(i).logProbabilities()).isEqualTo(beside.get(i).logProbabilities());
      try (Scorer scorer = policy.engine().scorer(1)) {
        assertThat(scorer.logProbabilities(alone.get(i).sequences())[0])
            .isEqualTo(alone.get(i).logProbabilities());
      }
    }
  }

  @Test
  void aSearchFindsLikelierAnswersThanTheLikeliestTokensMake() {
    int likelier = 0;
    for (int seed = 0; seed < 8; seed++) {
      Policy other = SmallShop.policy(environment, seed);
      List<Trajectory> greedy =
          new Rollouts(environment, other, SAMPLING.greedy()).run(requests(), 3, 1);
      List<Trajectory> found =
          new Rollouts(environment, other, SAMPLING)
              .searching(new BeamConfig(ALL.width(), 0, 1e9))
              .run(requests(), 3, 1);
      for (int i = 0; i < greedy.size(); i++) {
        assertThat(first(found.get(i))).isGreaterThanOrEqualTo(first(greedy.get(i)) - 1e-6);
        likelier += first(found.get(i)) > first(greedy.get(i)) + 1e-3 ? 1 : 0;
      }
    }
    assertThat(likelier).isPositive();
  }

  @Test
  void answersBelowTheMarginAreDropped() {
    List<Trajectory> greedy =
        new Rollouts(environment, policy, SAMPLING.greedy()).run(requests(), 3, 1);
    List<Trajectory> tight = searched(new BeamConfig(2, 1, 1e-12), 3, 1);
    for (int i = 0; i < greedy.size(); i++) {
      // What is left beside the likeliest tokens are ends of answers.
      int end = tight.get(i).turnTokens()[0] - 2;
      assertThat(java.util.Arrays.copyOf(tight.get(i).logProbabilities(), end))
          .isEqualTo(java.util.Arrays.copyOf(greedy.get(i).logProbabilities(), end));
    }
  }

  @Test
  void theGeneratorHasSlotsForTheEpisodesAndTheirBeams() {
    List<Integer> slots = new ArrayList<>();
    Engine counting =
        (Engine)
            java.lang.reflect.Proxy.newProxyInstance(
                Engine.class.getClassLoader(),
                new Class<?>[] {Engine.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("generator")) {
                    slots.add((Integer) arguments[0]);
                  }
                  return method.invoke(policy.engine(), arguments);
                });
    Policy counted = new Policy(counting, policy.tokenizer(), policy.chat());
    new Rollouts(environment, counted, SAMPLING)
        .searching(new BeamConfig(3, 1, 10))
        .run(requests(), 2, 1);
    assertThat(slots).containsExactly(8);
  }

  @Test
  void widthsBelowTwoAndMarginsOfNothingAreRefused() {
    assertThatThrownBy(() -> new BeamConfig(1, 1, 1))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("evaluate.beams.width");
    assertThatThrownBy(() -> new BeamConfig(2, -1, 1))
        .hasMessageContaining("evaluate.beams.lengthPenalty");
    assertThatThrownBy(() -> new BeamConfig(2, 1, 0)).hasMessageContaining("evaluate.beams.margin");
  }

  @Test
  void windowsOfTheLastTurnsAreSearchedToo() {
    for (int lastTurns : new int[] {1, 2}) {
      SamplingConfig windows =
          new SamplingConfig(1, 1, 16, false, true, null, lastTurns, null, false);
      Environment four = new Sayings(4);
      for (Trajectory played :
          new Rollouts(four, policy, windows)
              .searching(new BeamConfig(4, 1, 10))
              .run(requests(), 3, 1)) {
        assertThat(played.turns()).hasSize(4);
        List<float[]> scored = new ArrayList<>();
        try (Scorer scorer = policy.engine().scorer(1)) {
          scored.addAll(List.of(scorer.logProbabilities(played.sequences())));
        }
        float[] whole = new float[played.agentTokens()];
        int at = 0;
        for (float[] part : scored) {
          System.arraycopy(part, 0, whole, at, part.length);
          at += part.length;
        }
        assertThat(played.logProbabilities()).isEqualTo(whole);
      }
    }
  }

  @Test
  void episodesWithoutRoomEndAsSampledOnesDo() {
    ModelConfig shape = new ModelConfig(2, 32, 2, 1, 32, 40, 500, 1e-5, false);
    Policy small = SmallShop.policy(new Sayings(9), 4, shape.context(), EngineOptions.ONE_THREAD);
    List<Trajectory> played =
        new Rollouts(new Sayings(9), small, SAMPLING)
            .searching(new BeamConfig(4, 1, 10))
            .run(requests(), 3, 1);
    assertThat(played).extracting(Trajectory::stopReason).containsOnly(StopReason.CONTEXT_FULL);
  }
}
