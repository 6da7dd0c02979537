package org.vstar.env.webshop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vstar.env.ActionGrammar;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.WebShopConfig.Prompts;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.agent.Shoppers;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.dialogue.Rewording;
import org.vstar.env.webshop.dialogue.WebShopEpisode;

class DialogueTest {

  private static final Pattern PUNCTUATION = Pattern.compile("(\\p{Punct}|\\p{IsPunctuation})");

  private static WebShopEnvironment open(Prompts prompts) {
    return MiniShop.open(prompts, WebShopConfig.Compat.SANE, -0.1);
  }

  private static List<Outcome> scan(WebShopEnvironment shop) {
    List<Outcome> last = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      List<Turn> turns = Shoppers.scan(15).play(shop, shop.tasks(Split.TEST).get(i), 1);
      last.add(turns.get(turns.size() - 1).outcome());
    }
    return last;
  }

  @ParameterizedTest
  @EnumSource(Prompts.class)
  void scriptsReachTheSameInEveryDialogue(Prompts prompts) {
    WebShopEnvironment shop = open(prompts);
    assertThat(scan(shop)).isEqualTo(scan(open(Prompts.WEBSHOP)));
    for (Task task : shop.tasks(Split.TEST)) {
      assertThat(shop.start(task).observation()).isEqualTo(task.prompt());
    }
  }

  @Test
  void dialoguesHaveFingerprintsOfTheirOwn() {
    List<String> all = new ArrayList<>();
    for (Prompts prompts : Prompts.values()) {
      all.add(open(prompts).fingerprint());
    }
    assertThat(all).doesNotHaveDuplicates();
  }

  /** As a tokenizer for small models would hand them back: in lower case, parted at punctuation. */
  private static String parted(String text) {
    return PUNCTUATION.matcher(text.toLowerCase()).replaceAll(" $1 ").strip();
  }

  @ParameterizedTest
  @EnumSource(Prompts.class)
  void actionsMeanTheSameWhenATokenizerHasPartedThem(Prompts prompts) {
    WebShopEnvironment shop = open(prompts);
    for (Task task : shop.tasks(Split.TEST)) {
      WebShopEpisode again = shop.start(task);
      for (Turn turn : Shoppers.scan(15).play(shop, task, 1)) {
        assertThat(again.step(parted(turn.answer().action())))
            .as(turn.answer().action())
            .isEqualTo(turn.outcome());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Prompts.class)
  void whatTheGrammarAllowsIsUnderstood(Prompts prompts) {
    WebShopEnvironment shop = open(prompts);
    for (ActionGrammar.Form form : shop.actionGrammar().forms()) {
      WebShopEpisode episode = shop.start(shop.tasks(Split.TEST).get(0));
      if (form.argument() instanceof ActionGrammar.Words words) {
        String action = form.verb() + " " + words.vocabulary().get(words.vocabulary().size() - 1);
        assertThat(episode.step(action).valid()).as(action).isTrue();
      } else if (form.verb().equals("click")) {
        episode.step("search lamp");
        assertThat(episode.step("click next >").valid()).isTrue();
      }
    }
  }

  @Test
  void compactShowsTheInstructionOnceAndAResultsPageOnce() {
    WebShopEnvironment shop = open(Prompts.COMPACT);
    WebShopEpisode episode = shop.start(shop.tasks(Split.TEST).get(0));
    String instruction = episode.observation();
    assertThat(instruction).startsWith("Find me ").doesNotContain(".00 dollars");
    assertThat(episode.step("search lamp").valid()).isTrue();
    String results = episode.observation();
    assertThat(results).startsWith("14 left. page 1: 1 ").contains("; 10 ", " $");
    Item second = episode.session().products().get(1);
    assertThat(results).containsPattern("; 2 \\$[0-9]+(-[0-9]+)? " + Pattern.quote(second.title()));
    assertThat(episode.step("open 2").valid()).isTrue();
    String product = episode.observation();
    assertThat(product)
        .startsWith("13 left. 2 " + String.join(", ", second.options().keySet()) + "; ");
    second.options().values().forEach(values -> assertThat(product).contains(values));
    assertThat(episode.step("back").valid()).isTrue();
    assertThat(episode.observation()).isEqualTo("12 left. page 1, after 2:");
    assertThat(episode.step("open 11").valid()).isFalse();
    assertThat(episode.observation()).isEqualTo("11 left. not possible.");
    assertThat(episode.step("click[buy now]").valid()).isFalse();
    assertThat(episode.step("next").parts()).isEqualTo(Map.of("score", 0.0));
    assertThat(episode.observation()).startsWith("9 left. page 2:");
    assertThat(episode.step("open 1").valid()).isTrue();
    Outcome bought = episode.step("buy");
    assertThat(bought.done()).isTrue();
    assertThat(bought.parts()).containsKeys("type", "attributes", "price", "score");
  }

  @Test
  void compactShowsFeaturesAndDescriptionUncutAndOnce() {
    WebShopEnvironment shop = open(Prompts.COMPACT);
    WebShopEpisode episode = shop.start(shop.tasks(Split.TEST).get(0));
    episode.step("search lamp");
    episode.step("open 1");
    Item item = episode.session().item();
    episode.step("features");
    assertThat(episode.observation()).startsWith("12 left. ").contains(item.bullets());
    episode.step("back");
    assertThat(episode.observation()).isEqualTo("11 left. 1 again.");
    episode.step("description");
    assertThat(episode.observation()).isEqualTo("10 left. " + item.description());
    episode.step("back");
    episode.step("features");
    assertThat(episode.observation()).isEqualTo("8 left. again.");
    episode.step("back");
    episode.step("back");
    assertThat(episode.observation()).isEqualTo("6 left. page 1, after 1:");
    episode.step("open 1");
    item.options().values().forEach(values -> assertThat(episode.observation()).contains(values));
  }

  @Test
  void compactShowsAnotherProductWhoseNumberAndOptionsAreThoseOfAnEarlierOne() {
    WebShopEnvironment shop = open(Prompts.COMPACT);
    Task task = shop.tasks(Split.TEST).get(0);
    WebShopEpisode episode =
        shop.startIn(
            shop.shop().withItems(item -> item.withOptions(Map.of())),
            task,
            shop.goal(task),
            Rewording.NONE);
    episode.step("search lamp");
    episode.step("open 1");
    assertThat(episode.observation()).endsWith("1 no options.");
    episode.step("next");
    episode.step("search chair");
    episode.step("open 1");
    assertThat(episode.observation()).endsWith("1 no options.");
    episode.step("search zeppelin");
    assertThat(episode.observation()).endsWith("page 1: nothing.");
    episode.step("search dirigible");
    assertThat(episode.observation()).endsWith("page 1: nothing.");
  }

  @Test
  void ragenListsWhatCanBeDone() {
    WebShopEnvironment shop = open(Prompts.RAGEN);
    WebShopEpisode episode = shop.start(shop.tasks(Split.TEST).get(0));
    assertThat(episode.observation()).endsWith("Available actions: search[<content>].");
    episode.step("search[lamp]");
    assertThat(episode.observation())
        .startsWith("Instruction: [SEP] ")
        .contains("Available actions: click[back to search], click[next >], click[");
    episode.step("search[zeppelin]");
    episode.step("click[next >]");
    assertThat(episode.observation())
        .endsWith("Available actions: click[back to search], click[< prev].");
  }

  @Test
  void verlAgentShowsTheLastTwoTurnsAndMarksActionsItsOwnWay() {
    WebShopEnvironment shop = open(Prompts.VERL_AGENT);
    WebShopEpisode episode = shop.start(shop.tasks(Split.TEST).get(0));
    assertThat(episode.observation()).contains("'click[search]',").doesNotContain("Prior to");
    episode.step("search[lamp]");
    episode.step("click[next >]");
    episode.step("click[next >]");
    assertThat(episode.observation())
        .contains("taken 3 step(s)", "Action 2: 'click[next >]'", "Action 3: 'click[next >]'")
        .doesNotContain("Action 1:");
    assertThat(shop.answerFormat()).isEqualTo(AnswerFormat.ACTION);
  }

  @Test
  void noisyShoppersErrAsOftenAsTheyAreToldTo() {
    int episodes = 300;
    List<List<Turn>> careful = played(new NoisyShopper.ErrorRates(1, 0, 0, 0, 0), episodes);
    List<List<Turn>> noisy = played(new NoisyShopper.ErrorRates(0, 1, 0, 1, 0), episodes);
    assertThat(careful).anyMatch(turns -> words(turns.get(0)) > 4);
    assertThat(noisy).allMatch(turns -> words(turns.get(0)) <= 4);
    assertThat(noisy.stream().flatMap(List::stream))
        .noneMatch(turn -> turn.answer().action().startsWith("choose"));
    assertThat(successes(careful)).isGreaterThan(2 * successes(noisy));
    List<List<Turn>> others = played(new NoisyShopper.ErrorRates(0, 0, 0.5, 0, 0), episodes);
    long first = others.stream().filter(t -> t.get(1).answer().action().equals("open 1")).count();
    // Half of the time any of up to ten products, the first among them.
    assertThat(first / (double) episodes).isBetween(0.45, 0.65);
    assertThat(thoughts(careful)).contains(" yes").contains(" no");
  }

  private static List<List<Turn>> played(NoisyShopper.ErrorRates rates, int episodes) {
    WebShopConfig config =
        MiniShop.config(Prompts.COMPACT, WebShopConfig.Compat.SANE, -0.1, MiniShop.noisy(rates, 0));
    return config.open(MiniShop.FOLDER, 0).demonstrations().batch(5, episodes);
  }

  private static int words(Turn turn) {
    return turn.answer().action().split(" ").length - 1;
  }

  private static long successes(List<List<Turn>> episodes) {
    return episodes.stream().filter(t -> t.get(t.size() - 1).outcome().success()).count();
  }

  private static String thoughts(List<List<Turn>> episodes) {
    return episodes.stream()
        .flatMap(List::stream)
        .map(turn -> turn.answer().thought())
        .collect(Collectors.joining(" "));
  }
}
