package org.vstar.model.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.ActionGrammar;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.SmallShop;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Rollouts.Played;

/** What becomes of episodes whose environment fails. */
class RetryPolicyTest {

  private final Environment shop = SmallShop.environment();
  private final Policy policy = SmallShop.policy(shop, 3);
  private final List<Request> requests = SmallShop.requests(shop, 6);
  private List<Trajectory> whole;
  private int chosen;

  /** What goes wrong in place of an outcome. */
  private interface Fault {
    Outcome instead(Outcome outcome);
  }

  /** The small shop, in which a task's second turn goes wrong some times. */
  private record FaultyShop(Environment shop, String task, AtomicInteger left, Fault fault)
      implements Environment {
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
          boolean faulty = start.id().equals(task) && turns++ == 1 && left.getAndDecrement() > 0;
          return faulty ? fault.instead(outcome) : outcome;
        }
      };
    }
  }

  @BeforeEach
  void playUndisturbed() {
    whole = new Rollouts(shop, policy, SmallShop.CONSTRAINED).run(requests, 2, 1);
    chosen =
        IntStream.range(0, 6)
            .filter(i -> whole.get(i).turns().size() > 1)
            .findFirst()
            .orElseThrow();
  }

  private Rollouts rollouts(RetryPolicy retryPolicy, int faults, Fault fault) {
    String task = requests.get(chosen).task().id();
    Environment faulty = new FaultyShop(shop, task, new AtomicInteger(faults), fault);
    return new Rollouts(faulty, policy, SmallShop.CONSTRAINED, 0, retryPolicy);
  }

  private static Outcome outOfStock(Outcome outcome) {
    throw new IllegalStateException("out of\nstock");
  }

  private static Fault reward(double reward) {
    return outcome -> new Outcome(reward, false, false, true, "odd");
  }

  private static Outcome hang(Outcome outcome) {
    try {
      new CountDownLatch(1).await();
      return outcome;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("was told to end", e);
    }
  }

  private static void assertSame(Trajectory a, Trajectory b) {
    assertThat(a.task()).isEqualTo(b.task());
    assertThat(a.turns()).isEqualTo(b.turns());
    assertThat(a.sequences().get(0).tokens()).isEqualTo(b.sequences().get(0).tokens());
    assertThat(a.logProbabilities()).isEqualTo(b.logProbabilities());
  }

  private void assertTheOthersWentOn(Played played) {
    assertThat(played.trajectories()).hasSize(5);
    for (int i = 0; i < 5; i++) {
      assertSame(played.trajectories().get(i), whole.get(i < chosen ? i : i + 1));
    }
  }

  private void assertUndisturbed(List<Trajectory> trajectories) {
    assertThat(trajectories).hasSameSizeAs(whole);
    for (int i = 0; i < whole.size(); i++) {
      assertSame(trajectories.get(i), whole.get(i));
    }
  }

  @Test
  void anEpisodeWhoseEnvironmentFailsIsNamedAndTheOthersGoOn() {
    Request request = requests.get(chosen);
    for (double reward : new double[] {0, Double.NaN, Double.NEGATIVE_INFINITY}) {
      Rollouts rollouts =
          rollouts(
              RetryPolicy.ONE_ATTEMPT,
              99,
              reward == 0 ? RetryPolicyTest::outOfStock : reward(reward));
      Played played = rollouts.play(requests, 2, 2);
      assertThat(played.failures())
          .singleElement()
          .hasToString(
              String.format(
                  "task %s, sample %d (seed %d), turn 1: the environment failed: %s",
                  request.task().id(),
                  request.sampleIndex(),
                  request.seed(),
                  played.failures().get(0).reason()));
      assertThat(played.failures().get(0).reason())
          .contains(reward == 0 ? "out of stock at " : "the reward is " + reward);
      assertTheOthersWentOn(played);
      assertThatThrownBy(() -> rollouts.run(requests, 2, 1))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("task " + request.task().id());
    }
  }

  @Test
  void anEpisodeIsPlayedAgainFromItsSeedUntilItsEnvironmentDoesNotFail() {
    RetryPolicy three = new RetryPolicy(3, 0);
    assertUndisturbed(rollouts(three, 2, RetryPolicyTest::outOfStock).run(requests, 2, 1));
    assertUndisturbed(rollouts(three, 2, reward(Double.NaN)).run(requests, 1, 2));
    Played played = rollouts(three, 3, RetryPolicyTest::outOfStock).play(requests, 2, 1);
    assertThat(played.failures()).singleElement().extracting(EpisodeFailure::attempts).isEqualTo(3);
    assertThat(played.failures().get(0).toString())
        .contains("the environment failed 3 times, at last: ");
    assertTheOthersWentOn(played);
  }

  @Test
  void anEnvironmentThatDoesNotAnswerFailsAndWhereItIsIsSaid() {
    Played played = rollouts(new RetryPolicy(1, 2), 1, RetryPolicyTest::hang).play(requests, 6, 1);
    assertThat(played.failures())
        .singleElement()
        .extracting(EpisodeFailure::reason)
        .asString()
        .contains("no answer within 2 s at ", "jdk.internal.misc.Unsafe.park");
    assertTheOthersWentOn(played);
    assertUndisturbed(
        rollouts(new RetryPolicy(2, 2), 1, RetryPolicyTest::hang).run(requests, 6, 1));
  }

  @Test
  void aThreadThatIsToEndIsNoFailureOfItsEnvironment() throws InterruptedException {
    for (int seconds : new int[] {0, 60}) {
      CountDownLatch asked = new CountDownLatch(1);
      Rollouts rollouts =
          rollouts(
              new RetryPolicy(3, seconds),
              1,
              outcome -> {
                asked.countDown();
                return hang(outcome);
              });
      Throwable[] thrown = new Throwable[1];
      Thread thread =
          new Thread(
              () -> {
                try {
                  rollouts.play(requests, 2, 1);
                } catch (RuntimeException e) {
                  thrown[0] = e;
                }
              });
      thread.start();
      asked.await();
      thread.interrupt();
      thread.join();
      assertThat(thrown[0]).hasStackTraceContaining("interrupted in a call of an environment");
    }
  }
}
