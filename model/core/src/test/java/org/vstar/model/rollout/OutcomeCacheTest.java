package org.vstar.model.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.SmallShop;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Rollouts.Played;

class OutcomeCacheTest {

  private final Environment shop = SmallShop.environment();
  private final AtomicInteger started = new AtomicInteger();
  private final AtomicInteger steps = new AtomicInteger();

  /** The shop, which counts what it is asked. */
  private Environment counting(boolean deterministic) {
    return (Environment)
        Proxy.newProxyInstance(
            Environment.class.getClassLoader(),
            new Class<?>[] {Environment.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("deterministic")) {
                return deterministic;
              }
              try {
                Object result = method.invoke(shop, arguments);
                return result instanceof Episode episode ? counted(episode) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Episode counted(Episode real) {
    started.incrementAndGet();
    return new Episode() {
      @Override
      public String observation() {
        return real.observation();
      }

      @Override
      public String stateKey() {
        return real.stateKey();
      }

      @Override
      public Outcome step(String action) {
        steps.incrementAndGet();
        return real.step(action);
      }
    };
  }

  /** Eight samples of three tasks. */
  private List<Request> requests() {
    List<Request> requests = new ArrayList<>();
    for (Task task : shop.tasks(Split.TRAIN).subList(0, 3)) {
      for (int i = 0; i < 8; i++) {
        requests.add(new Request(task, i, 100 * i + 1));
      }
    }
    return requests;
  }

  @Test
  void trajectoriesAreTheSameAndTheEnvironmentTakesFewerTurns() {
    Policy policy = SmallShop.policy(shop, 3);
    List<Trajectory> expected =
        new Rollouts(shop, policy, SmallShop.CONSTRAINED.greedy()).run(requests(), 5, 2);
    for (boolean deterministic : new boolean[] {false, true}) {
      started.set(0);
      steps.set(0);
      Played played =
          new Rollouts(counting(deterministic), policy, SmallShop.CONSTRAINED.greedy())
              .rememberingOutcomes()
              .play(requests(), 5, 2);
      int turns = expected.stream().mapToInt(own -> own.turns().size()).sum();
      assertThat(played.sparedTurns()).isEqualTo(turns - steps.get());
      if (deterministic) {
        assertThat(played.sparedTurns()).isPositive();
      } else {
        assertThat(started).hasValue(requests().size());
        assertThat(played.sparedTurns()).isZero();
      }
      for (int i = 0; i < expected.size(); i++) {
        Trajectory own = played.trajectories().get(i);
        assertThat(own.turns()).isEqualTo(expected.get(i).turns());
        assertThat(own.stateKeys()).isEqualTo(expected.get(i).stateKeys());
        assertThat(own.success()).isEqualTo(expected.get(i).success());
      }
    }
  }

  @Test
  void whatRepeatsAnEpisodeNeedsNoEnvironmentAndWhatLeavesItsPathPlaysItAgain() {
    OutcomeCache cache = new OutcomeCache(counting(true));
    Task task = shop.tasks(Split.TRAIN).get(0);
    Episode first = cache.start(task, 1);
    assertThat(first.observation()).isEqualTo(task.prompt());
    Outcome red = first.step("search blanket");
    String seen = first.observation();
    assertThat(started).hasValue(1);
    Episode again = cache.start(task, 2);
    assertThat(again.step("search blanket")).isEqualTo(red);
    assertThat(again.observation()).isEqualTo(seen);
    assertThat(started).hasValue(1);
    assertThat(steps).hasValue(1);
    assertThat(cache.spared()).isEqualTo(1);
    Episode plain = shop.start(task);
    plain.step("search blanket");
    assertThat(again.step("nonsense")).isEqualTo(plain.step("nonsense"));
    assertThat(again.observation()).isEqualTo(plain.observation());
    assertThat(started).hasValue(2);
    assertThat(steps).hasValue(3);
    assertThat(cache.spared()).isZero();
  }

  @Test
  void whatIsNotSoundIsNotRemembered() {
    AtomicInteger asked = new AtomicInteger();
    Environment faulty =
        (Environment)
            Proxy.newProxyInstance(
                Environment.class.getClassLoader(),
                new Class<?>[] {Environment.class},
                (proxy, method, arguments) -> {
                  if (!method.getName().equals("start")) {
                    return method.invoke(shop, arguments);
                  }
                  Episode real = shop.start((Task) arguments[0]);
                  int which = asked.getAndIncrement();
                  return new Episode() {
                    @Override
                    public String observation() {
                      return which == 0 ? null : real.observation();
                    }

                    @Override
                    public Outcome step(String action) {
                      Outcome sound = real.step(action);
                      return which == 1
                          ? new Outcome(Double.NaN, false, false, true, "")
                          : which == 2 ? null : sound;
                    }
                  };
                });
    OutcomeCache cache = new OutcomeCache(faulty);
    Task task = shop.tasks(Split.TRAIN).get(0);
    assertThat(cache.start(task, 1).observation()).isNull();
    Episode second = cache.start(task, 1);
    assertThat(second.observation()).isEqualTo(task.prompt());
    assertThat(second.step("search blanket").reward()).isNaN();
    assertThat(cache.start(task, 1).step("search blanket")).isNull();
    assertThat(cache.start(task, 1).step("search blanket"))
        .isEqualTo(shop.start(task).step("search blanket"));
    assertThat(asked).hasValue(4);
  }

  @Test
  void anEpisodeThatHangsWhenItStartsHoldsUpNoOther() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    Environment slow =
        (Environment)
            Proxy.newProxyInstance(
                Environment.class.getClassLoader(),
                new Class<?>[] {Environment.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("start") && asked.getAndIncrement() == 0) {
                    hanging.countDown();
                    released.await();
                  }
                  return method.invoke(shop, arguments);
                });
    OutcomeCache cache = new OutcomeCache(slow);
    Task task = shop.tasks(Split.TRAIN).get(0);
    Thread first = new Thread(() -> cache.start(task, 1));
    first.start();
    hanging.await();
    assertThat(cache.start(task, 1).observation()).isEqualTo(task.prompt());
    released.countDown();
    first.join();
  }

  @Test
  void anEpisodeThatIsOverTakesNoAction() {
    OutcomeCache cache = new OutcomeCache(shop);
    for (int i = 0; i < 2; i++) {
      Episode episode = cache.start(shop.tasks(Split.TRAIN).get(0), 1);
      episode.step("search blanket");
      assertThat(episode.step("buy 201").done()).isTrue();
      assertThatThrownBy(() -> episode.step("search blanket"))
          .isInstanceOf(IllegalStateException.class);
    }
  }
}
