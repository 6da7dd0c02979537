package org.vstar.env.webshop.goal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.webshop.Recorded;
import org.vstar.env.webshop.catalog.WebShopData;
import org.vstar.env.webshop.reward.OpenNlpTagger;
import org.vstar.env.webshop.reward.PurchaseReward;

class MadeUpGoalsTest {

  private final WebShopData data = Recorded.data(new PythonRandom(Recorded.SEED));
  private final GoalSplit split =
      GoalSplit.of(
          GoalSplit.Kind.PRODUCT,
          Goals.synthetic(data, new PythonRandom(Recorded.SEED)),
          new GoalSplit.Sizes(500, 200, 10, 20));
  private final List<Goal> madeUp = MadeUpGoals.of(data, split, new PythonRandom(Recorded.SEED));

  @Test
  void theyAreOfProductsThatHaveNoneAndOfNoHeldOutProduct() {
    Set<String> others =
        Stream.of(split.train(), split.validation(), split.test())
            .flatMap(List::stream)
            .map(goal -> goal.item().asin())
            .collect(Collectors.toSet());
    Set<String> own = madeUp.stream().map(goal -> goal.item().asin()).collect(Collectors.toSet());
    assertThat(own).hasSizeGreaterThan(100).doesNotContainAnyElementsOf(others);
    GoalSplit wider = split.withTrain(madeUp, 3);
    assertThat(wider.validation()).isEqualTo(split.validation());
    assertThat(wider.test()).isEqualTo(split.test());
    assertThat(wider.train()).startsWith(split.train().toArray(Goal[]::new));
    assertThat(
            wider.train().subList(split.train().size(), wider.train().size()).stream()
                .collect(Collectors.groupingBy(g -> g.item().asin(), Collectors.counting()))
                .values())
        .allMatch(count -> count <= 3);
  }

  @Test
  void theirInstructionsReadAsThePublishedOnesAndTheirProductIsWhatTheyWant() {
    PurchaseReward reward = new PurchaseReward(new OpenNlpTagger());
    int right = 0;
    for (Goal goal : madeUp) {
      assertThat(goal.instruction())
          .matches("Find me .*?( with .*?)?( for .*?)?(, and price lower than \\d+\\.00 dollars)?")
          .contains(goal.item().query());
      assertThat(goal.attributes()).isNotEmpty().allMatch(a -> goal.instruction().contains(a));
      double price = data.price(data.item(goal.item().asin()).orElseThrow());
      PurchaseReward.Parts parts = reward.of(goal.item(), price, goal.options().values(), goal);
      // As of the published goals, a few have options that no purchase can match.
      assertThat(parts.type() * parts.attributes()).isEqualTo(1);
      assertThat(parts.price()).isTrue();
      right += parts.success() ? 1 : 0;
    }
    assertThat(right / (double) madeUp.size()).isGreaterThan(0.9);
    assertThat(madeUp.stream().map(Goal::instruction))
        .anyMatch(text -> text.contains(" for "))
        .anyMatch(text -> text.contains(" with "));
  }
}
