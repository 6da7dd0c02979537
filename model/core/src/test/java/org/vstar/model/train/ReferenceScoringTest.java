package org.vstar.model.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.objective.AStarPoRegression;
import org.vstar.model.policy.Policy;

/** Where the policy is the reference still, what was sampled needs no second model to score it. */
class ReferenceScoringTest {

  private static final TrainConfig CONFIG =
      new TrainConfig(
          new TrainConfig.Target("regression", "vstar", null),
          new TrainConfig.Schedule(12, 4, 4, 4, 3),
          new TrainConfig.Batch(16, 512, 8, 2),
          new TrainConfig.Selection("uniform", 1),
          new TrainConfig.Limits(0.5, 1.05),
          new OptimizerConfig(3e-3, 2, 0.1, 0.9, 0.98, 1e-8, 0.01, 1),
          null);

  private final Environment shop = SmallShop.environment();
  private final Policy reference = SmallShop.policy(shop, 2);
  private final AtomicInteger scored = new AtomicInteger();

  /** An engine that counts how often it scores, and may say that it is another. */
  private Engine counted(Engine engine, String name) {
    return (Engine)
        Proxy.newProxyInstance(
            Engine.class.getClassLoader(),
            new Class<?>[] {Engine.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("fingerprint") && name != null) {
                return name;
              }
              Object result = method.invoke(engine, arguments);
              return result instanceof Scorer own ? counted(own) : result;
            });
  }

  private Scorer counted(Scorer scorer) {
    return (Scorer)
        Proxy.newProxyInstance(
            Scorer.class.getClassLoader(),
            new Class<?>[] {Scorer.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("logProbabilities")) {
                scored.incrementAndGet();
              }
              return method.invoke(scorer, arguments);
            });
  }

  /** An adapted engine that names another as the one below it. */
  private static Engine above(Engine below, Engine adapted) {
    return (Engine)
        Proxy.newProxyInstance(
            Engine.class.getClassLoader(),
            new Class<?>[] {Engine.class},
            (proxy, method, arguments) ->
                method.getName().equals("base")
                    ? Optional.of(below)
                    : method.invoke(adapted, arguments));
  }

  private Trainer trainer(Engine policy, Engine below) {
    Map<String, TaskValue> values = new HashMap<>();
    shop.tasks(Split.TRAIN).forEach(task -> values.put(task.id(), new TaskValue(0.1, 0.1, 0)));
    return new Trainer(
        shop,
        new Policy(policy, reference.tokenizer(), reference.chat()),
        new Policy(below, reference.tokenizer(), reference.chat()),
        SmallShop.CONSTRAINED,
        values,
        new AStarPoRegression(1e-3, 0.0),
        CONFIG,
        5);
  }

  /** Two steps; gives how often the reference had scored after each. */
  private List<Integer> timesScored(Trainer trainer) {
    scored.set(0);
    List<Integer> times = new ArrayList<>();
    for (int step = 0; step < 2; step++) {
      trainer.next();
      times.add(scored.get());
    }
    return times;
  }

  @Test
  void aReferenceThatIsThePolicyStillIsNotScoredAndTheWeightsAreTheSame() {
    Trainer spared = trainer(reference.engine().copy(), counted(reference.engine(), null));
    assertThat(timesScored(spared)).containsExactly(0, 1);
    Trainer other = trainer(reference.engine().copy(), counted(reference.engine(), "another"));
    assertThat(timesScored(other)).containsExactly(1, 2);
    assertThat(SmallShop.weights(spared.policy())).isEqualTo(SmallShop.weights(other.policy()));
  }

  @Test
  void anAdapterThatAddsNothingYetIsTheReferenceToo() {
    LoraConfig lora = new LoraConfig(2, 4, List.of("q_proj", "v_proj"));
    Adapter zero = new Adapter(lora, lora.initial(reference.engine().config(), 4));
    assertThat(zero.isZero()).isTrue();
    Engine below = counted(reference.engine(), null);
    Engine policy = above(below, reference.engine().adapted(zero));
    assertThat(timesScored(trainer(policy, below))).containsExactly(0, 1);
    assertThat(policy.adapter().orElseThrow().isZero()).isFalse();
  }
}
