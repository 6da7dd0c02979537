package org.vstar.model.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.env.ActionGrammar;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.SmallShop;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;

/** What the world draws says nothing of what the policy draws. */
class RandomStreamsTest {

  private static final int EPISODES = 100_000;
  private static final List<String> ARMS = List.of("left", "right");

  /** Two arms that pay with the same chance, which the world draws after the arm is chosen. */
  private record ChanceBandit() implements Environment {
    static final Task TASK = new Task("t", "chance", Split.TRAIN, "left or right", "", "t");
    private static final double PAYS = 0.25;

    @Override
    public String name() {
      return "chance";
    }

    @Override
    public String fingerprint() {
      return "chance";
    }

    @Override
    public List<Task> tasks(Split split) {
      return List.of(TASK);
    }

    @Override
    public int maxTurns() {
      return 1;
    }

    @Override
    public ActionGrammar actionGrammar() {
      ActionGrammar.Argument none = new ActionGrammar.Nothing();
      return new ActionGrammar(
          ARMS.stream().map(arm -> new ActionGrammar.Form(arm, none)).toList());
    }

    @Override
    public Episode start(Task task) {
      return start(task, 0);
    }

    /** The first number is the day's weather: the second is drawn when an arm is pulled. */
    @Override
    public Episode start(Task task, long worldSeed) {
      SplittableRandom world = new SplittableRandom(worldSeed);
      world.nextDouble();
      return new Episode() {
        @Override
        public String observation() {
          return task.prompt();
        }

        @Override
        public Outcome step(String action) {
          boolean pays = world.nextDouble() < PAYS;
          return new Outcome(pays ? 1 : 0, true, pays, ARMS.contains(action), action);
        }
      };
    }
  }

  /** All weights are 0, so that every token that may be drawn is equally likely. */
  private static Policy uniform() {
    ModelConfig shape = new ModelConfig(1, 16, 2, 1, 16, 32, 500, 1e-5, false);
    EpisodeMarks chat = new EpisodeMarks();
    Environment bandit = new ChanceBandit();
    Tokenizer tokenizer =
        new Tokenizer(
            WordVocabulary.build(bandit.vocabularyText(), bandit.answerFormat(), chat.marks()));
    int size = new org.vstar.model.weights.ParameterLayout(shape, tokenizer.size()).size();
    return new Policy(
        SmallShop.engine(shape, tokenizer.size(), new float[size], EngineOptions.ONE_THREAD),
        tokenizer,
        chat);
  }

  @Test
  void payoffsOfAStochasticBanditAreIndependentOfTheArmThatIsDrawn() {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < EPISODES; i++) {
      requests.add(new Request(ChanceBandit.TASK, i, i));
    }
    SamplingConfig sampling = new SamplingConfig(1, 1, 8, false, true);
    List<Trajectory> played =
        new Rollouts(new ChanceBandit(), uniform(), sampling).run(requests, 64, 2);
    assertThat(played).allMatch(t -> t.turns().get(0).outcome().valid());
    double[] pulled = new double[2];
    double[] paid = new double[2];
    for (Trajectory t : played) {
      int arm = ARMS.indexOf(t.turns().get(0).answer().action());
      pulled[arm]++;
      paid[arm] += t.episodeReturn();
    }
    // Four standard errors each.
    assertThat(pulled[0] / EPISODES).isCloseTo(0.5, within(4 * Math.sqrt(0.25 / EPISODES)));
    for (int arm = 0; arm < 2; arm++) {
      assertThat(paid[arm] / pulled[arm])
          .isCloseTo(0.25, within(4 * Math.sqrt(0.25 * 0.75 / pulled[arm])));
    }
  }

  @Test
  void rolloutsOfOneTaskDifferInWorldAndTokensAndNeverInThePrompt() {
    Request first = new Request(ChanceBandit.TASK, 0, 1);
    Request second = new Request(ChanceBandit.TASK, 1, 2);
    assertThat(first.environmentSeed()).isNotEqualTo(second.environmentSeed());
    assertThat(first.tokenStream().nextLong()).isNotEqualTo(second.tokenStream().nextLong());
    assertThat(first.tokenStream().nextLong())
        .isNotEqualTo(new SplittableRandom(first.environmentSeed()).nextLong());
    List<Trajectory> played =
        new Rollouts(new ChanceBandit(), uniform(), new SamplingConfig(1, 1, 8, false, true))
            .run(List.of(first, second), 2, 1);
    assertThat(played.stream().map(t -> t.turns().get(0).observation()))
        .containsOnly("left or right");
  }
}
