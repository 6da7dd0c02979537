package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.shopping.SplitAudit;
import org.vstar.env.webshop.Recorded;
import org.vstar.env.webshop.TrainVariation;
import org.vstar.env.webshop.WebShopConfig;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.GoalSplit;
import org.vstar.env.webshop.goal.WordingAudit;
import org.vstar.env.webshop.reward.OpenNlpTagger;
import org.vstar.env.webshop.reward.PurchaseReward;
import org.vstar.env.webshop.reward.RewardWeights;

/** What scripts reach on positions 0 to 499 of the seed-233 order, as measured on the original. */
class ShoppersConformanceTest {

  private record Result(int successes, double score) {}

  private static WebShopEnvironment shop(GoalSplit.Kind split) {
    WebShopConfig config =
        new WebShopConfig(
            new WebShopConfig.DataFiles(
                Recorded.file("items_shuffle_1000.json").toString(),
                Recorded.file("items_ins_v2_1000.json").toString(),
                Recorded.file("items_human_ins.json").toString(),
                null,
                Recorded.file("nouns_nlp4j.json").toString(),
                null),
            new WebShopConfig.GoalSettings(
                Recorded.SEED, false, null, split, 500, 200, 10, 1000, false),
            new WebShopConfig.ShopSettings(
                15, false, WebShopConfig.Prompts.WEBSHOP, WebShopConfig.Compat.SANE),
            RewardWeights.ORIGINAL,
            null,
            TrainVariation.NONE);
    return config.environment(java.nio.file.Path.of("."), 0);
  }

  private static Result play(Player agent, WebShopEnvironment shop) {
    int successes = 0;
    double score = 0;
    List<Task> tasks = shop.tasks(Split.TEST);
    assertThat(tasks).hasSize(500);
    for (Task task : tasks) {
      List<Turn> turns = agent.play(shop, task, 7);
      Turn last = turns.get(turns.size() - 1);
      successes += last.outcome().success() ? 1 : 0;
      score += last.outcome().reward() / tasks.size();
    }
    return new Result(successes, 100 * score);
  }

  @Test
  void scriptsReachWhatTheyReachOnTheOriginal() {
    WebShopEnvironment shop = shop(GoalSplit.Kind.VERL_AGENT);
    Result rule = play(Shoppers.rule(15), shop);
    Result scan = play(Shoppers.scan(15), shop);
    Result informed = play(Shoppers.informedScan(shop::shop), shop);
    Result oracle = play(Shoppers.oracle(shop.goals()), shop);
    Result random = play(Shoppers.random(), shop);
    assertThat(rule.successes).isEqualTo(280);
    assertThat(rule.score).isCloseTo(79.2, within(0.2));
    assertThat(scan.successes / 5.0).isCloseTo(80.6, within(3.0));
    assertThat(scan.score).isCloseTo(91.7, within(3.0));
    assertThat(informed.successes / 5.0).isCloseTo(90.6, within(3.0));
    assertThat(informed.score).isCloseTo(96.8, within(3.0));
    assertThat(oracle.successes).isEqualTo(480);
    assertThat(oracle.score).isCloseTo(99.4, within(0.2));
    assertThat(random.successes).isLessThan(15);
  }

  /** SPEC section 10: taggers differ on a few per cent of all pairs, on no exact purchase. */
  @Test
  void theDefaultTaggerRatesAProductAgainstItselfAsTheRightType() {
    WebShopEnvironment shop = shop(GoalSplit.Kind.VERL_AGENT);
    PurchaseReward reward = new PurchaseReward(new OpenNlpTagger());
    for (Task task : shop.tasks(Split.TEST)) {
      Goal goal = shop.goal(task);
      assertThat(reward.of(goal.item(), 0, goal.options().values(), goal).type()).isEqualTo(1);
    }
  }

  @Test
  void ourSplitSharesNoProductAndThePublishedOneSharesMost() {
    GoalSplit split = shop(GoalSplit.Kind.PRODUCT).split();
    SplitAudit test = split.audit(Split.TEST);
    SplitAudit validation = split.audit(Split.VALIDATION);
    assertThat(test.goals()).isEqualTo(500);
    assertThat(validation.goals()).isEqualTo(200);
    for (SplitAudit ours : List.of(test, validation)) {
      assertThat(ours.sameGoal() + ours.sameProductAndOptions() + ours.sameProduct()).isZero();
      assertThat(ours.maxPerProduct()).isLessThanOrEqualTo(10);
    }
    WordingAudit wording = split.wording(Split.TEST);
    assertThat(wording).isEqualTo(new WordingAudit(500, 21, 364, 0));
    assertThat(wording.line(Split.TEST)).contains("word for word, 364 a type", "0 a title");
    SplitAudit published = shop(GoalSplit.Kind.VERL_AGENT).split().audit(Split.TEST);
    assertThat(published.goals()).isEqualTo(500);
    assertThat(published.products()).isEqualTo(146);
    assertThat(published.sameProduct()).isEqualTo(481);
  }
}
