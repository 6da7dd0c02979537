package org.vstar.env.webshoplite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Agent;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;

class ShoppersTest {

  private static final WebShopLiteEnvironment SHOP =
      new WebShopLiteEnvironment(
          Catalogue.read(CatalogueTest.FILE), Rewards.preset("shaped"), 100, 50, 15);

  private static List<List<Turn>> play(Agent agent, int perTask) {
    List<List<Turn>> episodes = new ArrayList<>();
    for (Task task : SHOP.tasks(Split.TEST)) {
      for (int seed = 0; seed < perTask; seed++) {
        episodes.add(agent.play(SHOP, task, task.id().hashCode() + seed));
      }
    }
    return episodes;
  }

  private static Turn last(List<Turn> episode) {
    return episode.get(episode.size() - 1);
  }

  private static double success(List<List<Turn>> episodes) {
    return episodes.stream().filter(e -> last(e).outcome().success()).count()
        / (double) episodes.size();
  }

  /** Share of long-named tasks whose first search is by one word. */
  private static double oneWord(List<List<Turn>> episodes) {
    List<String> searches =
        episodes.stream()
            .filter(e -> WebShopLitePage.wanted(e.get(0).observation()).split(" ").length > 2)
            .map(e -> e.get(0).answer().action())
            .toList();
    return searches.stream().filter(s -> s.split(" ").length == 2).count()
        / (double) searches.size();
  }

  @Test
  void expertBuysEveryTargetInTwoTurns() {
    List<List<Turn>> episodes = play(NoisyShopper.expert(), 1);
    assertThat(success(episodes)).isEqualTo(1);
    assertThat(episodes).allMatch(e -> e.size() == 2);
  }

  @Test
  void heuristicBuysTheFirstHitAndIsSeldomRight() {
    assertThat(success(play(Shoppers.heuristic(), 1))).isBetween(0.02, 0.2);
  }

  @Test
  void randomAgentOnlyTakesLegalActionsAndHardlyEverSucceeds() {
    List<List<Turn>> episodes = play(Shoppers.random(SHOP.actionGrammar()), 4);
    assertThat(success(episodes)).isLessThan(0.03);
    assertThat(episodes).allMatch(e -> e.stream().allMatch(t -> t.outcome().valid()));
    assertThat(episodes).allMatch(e -> e.size() <= 15);
  }

  @Test
  void sameTaskAndSeedGiveTheSameTurns() {
    NoisyShopper demonstrator = new NoisyShopper(new NoisyShopper.ErrorRates(0.5, 0.5, 0.5, 0.5));
    Task task = SHOP.tasks(Split.TRAIN).get(3);
    assertThat(demonstrator.play(SHOP, task, 9)).isEqualTo(demonstrator.play(SHOP, task, 9));
  }

  @Test
  void badQueriesComeAtTheirRate() {
    assertThat(oneWord(play(new NoisyShopper(new NoisyShopper.ErrorRates(0.7, 0, 0, 0)), 20)))
        .isCloseTo(0.7, within(0.05));
  }

  @Test
  void aDemonstratorThatAlwaysLoopsRunsOutOfTurnsAndOneThatNeverDoesBuys() {
    List<List<Turn>> loops =
        play(new NoisyShopper(new NoisyShopper.ErrorRates(1, 1, 0, 0)), 1).stream()
            .filter(e -> !shown(e.get(1).observation(), e.get(0).observation(), 0))
            .toList();
    assertThat(loops)
        .hasSizeGreaterThan(30)
        .allMatch(e -> e.size() == 15 && !last(e).outcome().done());
    List<List<Turn>> buys = play(new NoisyShopper(new NoisyShopper.ErrorRates(1, 0, 1, 0)), 1);
    assertThat(buys).allMatch(e -> e.size() == 2 && last(e).outcome().done());
  }

  @Test
  void wrongPurchasesComeAtTheirRateWhereTheTargetIsShownBehindOthers() {
    List<List<Turn>> behind =
        play(new NoisyShopper(new NoisyShopper.ErrorRates(1, 1, 0.3, 0)), 20).stream()
            .filter(e -> shown(e.get(1).observation(), e.get(0).observation(), 1))
            .toList();
    assertThat(1 - success(behind)).isCloseTo(0.3, within(0.05));
  }

  private static boolean shown(String page, String prompt, int behind) {
    List<WebShopLitePage.Hit> hits = WebShopLitePage.hits(page);
    return hits.stream()
        .skip(behind)
        .anyMatch(h -> h.title().equalsIgnoreCase(WebShopLitePage.wanted(prompt)));
  }

  @Test
  void lookingOpensTheMatchBeforeItIsBought() {
    List<List<Turn>> episodes = play(new NoisyShopper(new NoisyShopper.ErrorRates(0, 0, 0, 1)), 1);
    assertThat(success(episodes)).isEqualTo(1);
    assertThat(episodes)
        .allMatch(e -> e.size() == 3 && e.get(1).outcome().event().equals("helpful click"));
  }

  @Test
  void demonstrationsNeverWantATestTargetAndRepeatWithTheSeed() {
    NoisyDemonstrations source =
        new NoisyDemonstrations(SHOP, new NoisyShopper.ErrorRates(0.8, 0.5, 0.15, 0.1));
    Set<String> heldOut =
        SHOP.tasks(Split.TEST).stream()
            .map(t -> WebShopLitePage.wanted(t.prompt()))
            .collect(Collectors.toSet());
    List<List<Turn>> batch = source.batch(11, 400);
    assertThat(batch.stream().map(e -> WebShopLitePage.wanted(e.get(0).observation())))
        .doesNotContainAnyElementsOf(heldOut);
    assertThat(source.batch(11, 400)).isEqualTo(batch);
    assertThat(source.batch(12, 400)).isNotEqualTo(batch);
  }

  @Test
  void aRateThatIsNoProbabilityIsRefused() {
    assertThatThrownBy(() -> new NoisyShopper.ErrorRates(1.5, 0, 0, 0))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("badQuery")
        .hasMessageContaining("probability");
  }
}
