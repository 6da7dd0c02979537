package org.vstar.env.webshoplite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vstar.common.InvalidInputException;
import org.vstar.env.ActionGrammar;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;

public class WebShopLiteEnvironmentTest {

  private static final Catalogue CATALOGUE = Catalogue.read(CatalogueTest.FILE);
  private static final double EXACT = 1e-12;

  public static WebShopLiteEnvironment shop(String preset) {
    return new WebShopLiteEnvironment(CATALOGUE, Rewards.preset(preset), 100, 50, 15);
  }

  private static Task wanting(WebShopLiteEnvironment shop, String title) {
    List<Task> all = new ArrayList<>(shop.tasks(Split.TRAIN));
    all.addAll(shop.tasks(Split.TEST));
    return all.stream().filter(t -> shop.target(t).title().equals(title)).findFirst().orElseThrow();
  }

  private static double[] rewards(String preset, String... actions) {
    WebShopLiteEnvironment shop = shop(preset);
    Episode episode = shop.start(wanting(shop, "Classic Blanket"));
    double[] rewards = new double[actions.length];
    for (int i = 0; i < actions.length; i++) {
      rewards[i] = episode.step(actions[i]).reward();
    }
    return rewards;
  }

  @Test
  void observationsReadAsPublishedExamplesDo() {
    WebShopLiteEnvironment shop = shop("shaped");
    Episode episode = shop.start(wanting(shop, "Classic Blanket"));
    assertThat(episode.observation())
        .isEqualTo(
            "TASK: User wants to buy classic blanket. Available: 497 products across 8"
                + " categories.");
    episode.step("search blanket");
    assertThat(episode.observation())
        .startsWith("Found 7 results. Top 5: ")
        .contains("201 Classic Blanket; ");
    episode.step("click 201");
    assertThat(episode.observation()).startsWith("Item 201: Classic Blanket. Category: Home.");
    Outcome outcome = episode.step("buy 201");
    assertThat(episode.observation()).isEqualTo("You bought Classic Blanket.");
    assertThat(outcome.done()).isTrue();
    assertThat(outcome.success()).isTrue();
    assertThatThrownBy(() -> episode.step("search blanket"))
        .isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "search",
        "search   ",
        "click",
        "buy 497",
        "buy -1",
        "buy 2 3",
        "click blanket",
        "buy 99999999999",
        "purchase 201",
        "buy201"
      })
  void whatIsNotALegalActionIsToldSoAndChangesNothing(String action) {
    WebShopLiteEnvironment shop = shop("shaped");
    Episode episode = shop.start(wanting(shop, "Classic Blanket"));
    Outcome outcome = episode.step(action);
    assertThat(outcome.valid()).isFalse();
    assertThat(outcome.done()).isFalse();
    assertThat(outcome.reward()).isEqualTo(-0.1);
    assertThat(episode.observation()).startsWith("Invalid action.");
    assertThat(episode.step("search blanket").reward()).isEqualTo(0.10);
  }

  @Test
  void everyIdCanBeBought() {
    WebShopLiteEnvironment shop = shop("sparse");
    for (Split split : Split.values()) {
      for (Task task : shop.tasks(split)) {
        Outcome outcome = shop.start(task).step("buy " + shop.target(task).id());
        assertThat(outcome.success()).isTrue();
      }
    }
    ActionGrammar.Form buy = shop.actionGrammar().forms().get(2);
    assertThat(((ActionGrammar.OneOf) buy.argument()).values())
        .containsExactlyElementsOf(IntStream.range(0, 497).mapToObj(Integer::toString).toList());
  }

  @Test
  void shapedPaysForTheRightPurchaseAndTheFirstHelpfulSearch() {
    assertThat(rewards("shaped", "search lamp", "search blanket", "search blanket", "click 3"))
        .containsExactly(new double[] {0, 0.10, 0, -0.05}, within(EXACT));
    assertThat(rewards("shaped", "click 201", "buy 201"))
        .containsExactly(new double[] {0, 1}, within(EXACT));
    assertThat(rewards("shaped", "buy 3")).containsExactly(new double[] {0}, within(EXACT));
  }

  @Test
  void shapedPlusPaysForSearchAndClickAndFinesAWrongPurchase() {
    assertThat(rewards("shaped-plus", "search blanket", "click 201", "click 201", "buy 3"))
        .containsExactly(new double[] {0.2, 0.3, 0, -0.10}, within(EXACT));
  }

  @Test
  void antiLoopPaysLessForLaterSearchesAndFinesTurnsAfterTheFreeOnes() {
    double[] r =
        rewards("anti-loop", "search lamp", "search lamp", "search lamp", "search lamp", "buy 201");
    assertThat(r).containsExactly(new double[] {0, 0, -0.05, -0.05, 0.95}, within(EXACT));
    assertThat(rewards("anti-loop", "search lamp", "search blanket"))
        .containsExactly(new double[] {0, 0.05}, within(EXACT));
  }

  @Test
  void sparsePaysForTheRightPurchaseOnly() {
    assertThat(rewards("sparse", "search blanket", "click 3", "click 201", "buy 201"))
        .containsExactly(new double[] {0, 0, 0, 1}, within(EXACT));
  }

  @Test
  void splitsAreDisjointByTargetAndTestCoversAllCategories() {
    WebShopLiteEnvironment shop = shop("shaped");
    List<String> train = shop.tasks(Split.TRAIN).stream().map(t -> shop.target(t).title()).toList();
    List<String> test = shop.tasks(Split.TEST).stream().map(t -> shop.target(t).title()).toList();
    assertThat(test).hasSize(100).doesNotHaveDuplicates().doesNotContainAnyElementsOf(train);
    assertThat(train).hasSize(347).doesNotHaveDuplicates();
    List<String> validation =
        shop.tasks(Split.VALIDATION).stream().map(t -> shop.target(t).title()).toList();
    assertThat(validation).hasSize(50).doesNotContainAnyElementsOf(train);
    assertThat(validation).doesNotContainAnyElementsOf(test);
    assertThat(shop.tasks(Split.TEST).stream().map(Task::category).distinct()).hasSize(8);
  }

  @Test
  void splitAndTaskIdsDependOnContentAlone() {
    List<Item> reversed = new ArrayList<>(CATALOGUE.products());
    java.util.Collections.reverse(reversed);
    WebShopLiteEnvironment other =
        new WebShopLiteEnvironment(new Catalogue(reversed), Rewards.preset("sparse"), 100, 50, 15);
    assertThat(other.tasks(Split.TEST)).isEqualTo(shop("shaped").tasks(Split.TEST));
    assertThat(other.fingerprint()).isEqualTo(shop("shaped").fingerprint());
    assertThat(other.rewardFingerprint()).isNotEqualTo(shop("shaped").rewardFingerprint());
  }

  @Test
  void taskOfAnotherEnvironmentIsRefused() {
    Task foreign = new Task("0123456789abcdef", "webshop", Split.TRAIN, "buy it", "Home", "it");
    assertThatThrownBy(() -> shop("shaped").start(foreign))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("0123456789abcdef")
        .hasMessageContaining("not a task of this 'webshop-lite'");
  }

  @Test
  void anAnswerWithoutTheFormIsAnInvalidAction() {
    WebShopLiteEnvironment shop = shop("shaped");
    String action = AnswerFormat.unparsed("<answer>buy 3</answer>").action();
    assertThat(shop.start(shop.tasks(Split.TEST).get(0)).step(action).valid()).isFalse();
  }
}
