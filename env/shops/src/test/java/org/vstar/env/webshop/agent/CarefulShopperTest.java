package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.vstar.env.Answer;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.MiniShop;
import org.vstar.env.webshop.WebShopConfig;
import org.vstar.env.webshop.WebShopEnvironment;
import org.vstar.env.webshop.agent.Shopper.Visit;
import org.vstar.env.webshop.dialogue.CompactDialogue;
import org.vstar.env.webshop.dialogue.WebShopEpisode;
import org.vstar.env.webshop.simulator.Label;
import org.vstar.env.webshop.simulator.Session;

class CarefulShopperTest {

  private static final ShopLexicon LEXICON =
      new ShopLexicon(
          Set.of("slim fit", "long sleeve", "fit", "regular fit"),
          Set.of("color", "size", "style"));

  /** A product's page: the names of its options. */
  private static final Pattern OPENED = Pattern.compile("\\d+ left\\. \\d+ ([^;·]+); .*");

  private static final Pattern PRICE_CHECK = Pattern.compile("\\d+ \\$(\\d+) \\$(\\d+) (yes|no)");

  @Test
  void anInstructionIsTakenApart() {
    Wish wish =
        Wish.of(
            "Find me slim fit women's tops, tees & blouses with long sleeve, regular fit with"
                + " color: blue, and green, and size: x-large, and price lower than 40.00 dollars",
            LEXICON);
    assertThat(wish.type()).isEqualTo("women's tops, tees & blouses");
    assertThat(wish.plain())
        .isEqualTo("slim fit women's tops, tees & blouses with long sleeve, regular fit");
    assertThat(wish.attributes()).containsExactly("slim fit", "long sleeve", "regular fit");
    assertThat(wish.options()).containsExactly("blue, and green", "x-large");
    assertThat(wish.names("color")).isTrue();
    assertThat(wish.names("or")).isFalse();
    assertThat(wish.maxPrice()).isEqualTo(40);
    assertThat(wish.query())
        .isEqualTo(
            "slim fit women's tops, tees & blouses with long sleeve, regular fit"
                + " with color: blue, and green, and size: x-large"
                + " ~ color: blue, and green, and size: x-large"
                + " ^ color: blue, and green, and size: x-large"
                + " @ color: blue, and green, and size: x-large");
    assertThat(wish.otherQuery()).startsWith("slim fit women").endsWith("x-large");
  }

  @Test
  void withoutOptionsItSearchesForWhatIsSaidOnce() {
    Wish wish = Wish.of("Find me slim fit shirts, and price lower than 40.00 dollars", LEXICON);
    assertThat(wish.query()).isEqualTo("slim fit shirts").isEqualTo(wish.otherQuery());
  }

  @Test
  void whoseSearchWasCutOffSearchesForLess() {
    String instruction = "Find me slim fit shirts for boys with color: black, and price lower than";
    ShopPage page = ShopPages.index(instruction + " 40.00 dollars");
    Visit cut =
        new Visit(
            page,
            AnswerFormat.unparsed("<think></think><answer>search slim fit fit fit fit"),
            false);
    CarefulShopper careful = new CarefulShopper(() -> LEXICON, 15, -1);
    assertThat(careful.answer(List.of(), page, new SplittableRandom(1)).action())
        .isEqualTo(
            "search[slim fit shirts for boys with color: black"
                + " ~ color: black ^ color: black @ color: black]");
    assertThat(careful.answer(List.of(cut), page, new SplittableRandom(1)))
        .isEqualTo(new Answer("", "search[slim fit shirts for boys]"));
    assertThat(Wish.of("Find me slim fit shirts for boys", LEXICON).shortQuery())
        .isEqualTo("slim fit shirts");
  }

  @Test
  void oneAttributeBehindWithIsNoOption() {
    Wish wish =
        Wish.of(
            "Find me slim fit men's shirts with long sleeve with color: black, and size: 5",
            LEXICON);
    assertThat(wish.attributes()).containsExactly("slim fit", "long sleeve");
    assertThat(wish.type()).isEqualTo("men's shirts");
    assertThat(wish.options()).containsExactly("black", "5");
    assertThat(wish.maxPrice()).isInfinite();
  }

  @Test
  void aResultShowsItsLowestPriceInWholeDollars() {
    assertThat(new ShopPage.Result(2, "B000000002", "", 9.5).price()).isEqualTo("$10");
    assertThat(new ShopPage.Result(3, "B000000003", "HEADPHONES", 7.0).price()).isEqualTo("$7");
  }

  @Test
  void aPageHasInPartsWhatItsTextSays() {
    WebShopEnvironment shop = shop();
    Set<Session.Kind> seen = new HashSet<>();
    Shopper scan = Shoppers.scanning(15);
    for (Task task : shop.tasks(Split.VALIDATION).subList(0, 20)) {
      WebShopEpisode episode = (WebShopEpisode) shop.start(task, 1);
      Shopper looks =
          (history, page, random) -> {
            List<String> fields = List.of(episode.session().page().text().split(" \\[SEP] ", -1));
            assertThat(fields).contains(page.instruction()).containsAll(page.choices());
            for (ShopPage.Result result : page.results()) {
              assertThat(fields).containsSubsequence(result.asin(), result.title());
            }
            assertThat(fields).containsAll(page.buttons().stream().map(Label::shown).toList());
            seen.add(page.kind());
            boolean features = page.isItem() && !seen.contains(Session.Kind.SUB_PAGE);
            return features
                ? new Answer("", "click[features]")
                : scan.answer(history, page, random);
          };
      new TranslatedAgent(looks).playEpisode(episode, 15, 1);
    }
    assertThat(seen)
        .containsExactlyInAnyOrder(
            Session.Kind.INDEX, Session.Kind.RESULTS, Session.Kind.ITEM, Session.Kind.SUB_PAGE);
  }

  @Test
  void aProductIsCheapEnoughIfTheLowestOfItsPricesIs() {
    String instruction = "Find me shirts, and price lower than 40.00 dollars";
    Visit searched =
        new Visit(ShopPages.index(instruction), new Answer("", "search[shirts]"), true);
    ShopPage results =
        ShopPages.results(
            instruction,
            new ShopPage.Result(1, "B000000001", "Dear Shirt", 40.5),
            new ShopPage.Result(2, "B000000002", "Shirt", 39.5));
    Answer answer =
        new CarefulShopper(() -> LEXICON, 15, -1)
            .answer(List.of(searched), results, new SplittableRandom(1));
    assertThat(answer).isEqualTo(new Answer("1 $41 $40 no; 2 $40 $40 yes", "click[B000000002]"));
  }

  @Test
  void wordsAreTheSameWhateverTheirEndings() {
    assertThat(Wish.says("long sleeves, sleeved dresses", "sleeve dress")).isTrue();
    assertThat(Wish.says("Machine washed pillows", "pillow machine")).isTrue();
    assertThat(Wish.says("machine", "machine wash")).isFalse();
  }

  @Test
  void theCarefulShopperFindsMoreThanTheOthersAndItsChecksAreTrue() {
    WebShopEnvironment shop = shop();
    Map<String, Player> agents = baselines();
    List<List<Turn>> careful = play(agents.get("careful"), shop);
    assertThat(successes(careful))
        .isGreaterThan(successes(play(agents.get("scan"), shop)))
        .isGreaterThan(successes(play(agents.get("rule"), shop)));
    for (List<Turn> turns : careful) {
      assertThat(turns).hasSizeLessThanOrEqualTo(15).allMatch(turn -> turn.outcome().valid());
      for (Turn turn : turns) {
        if (turn.answer().action().equals("features") && !turn.answer().thought().isEmpty()) {
          // It reads features only of a product that has all options, which the page shows.
          assertThat(turn.answer().thought()).endsWith(" yes").doesNotContain(" no");
          for (String check : turn.answer().thought().split("; ")) {
            if (check.contains(CompactDialogue.VALUE)) {
              assertThat(turn.observation()).contains(check.replaceAll("^[^·]+| yes$", ""));
            }
          }
        }
      }
    }
    Matcher prices = PRICE_CHECK.matcher(thoughts(careful));
    Set<String> verdicts = new HashSet<>();
    while (prices.find()) {
      boolean cheap = Long.parseLong(prices.group(1)) <= Long.parseLong(prices.group(2));
      assertThat(prices.group(3)).as(prices.group()).isEqualTo(cheap ? "yes" : "no");
      verdicts.add(prices.group(3));
    }
    assertThat(verdicts).containsExactlyInAnyOrder("yes", "no");
    assertThat(thoughts(careful)).containsPattern(" · [^;]+ yes").containsPattern(" · [^;]+ no");
  }

  @Test
  void eachOptionThatAProductHasIsSaidToBeSpokenOfOrNot() {
    int opened = 0;
    for (List<Turn> turns : play(baselines().get("imitated"), shop())) {
      String instruction = turns.get(0).observation();
      for (int i = 1; i < turns.size(); i++) {
        Matcher names = OPENED.matcher(turns.get(i).observation());
        if (turns.get(i - 1).answer().action().startsWith("open ") && names.matches()) {
          String expected =
              Stream.of(names.group(1).split(", "))
                  .map(name -> name + (instruction.contains(name + ": ") ? " yes" : " no"))
                  .collect(Collectors.joining(", "));
          assertThat(turns.get(i).answer().thought() + ";").startsWith(expected + ";");
          opened++;
        }
      }
    }
    assertThat(opened).isPositive();
  }

  @Test
  void aProductWithAnOptionThatWasNotSpokenOfIsPassedOver() {
    String instruction = "Find me shirts with color: red, and price lower than 40.00 dollars";
    List<Visit> opened =
        List.of(
            new Visit(ShopPages.index(instruction), new Answer("", "search[red]"), true),
            new Visit(
                ShopPages.results(instruction, new ShopPage.Result(1, "B000000001", "Shirt", 30.0)),
                new Answer("1 $30 $40 yes", "click[B000000001]"),
                true));
    ShopPage product = ShopPages.product(instruction, "size", "5", "color", "red");
    assertThat(
            new CarefulShopper(() -> LEXICON, 15, -1)
                .answer(opened, product, new SplittableRandom(1)))
        .isEqualTo(
            new Answer("size no, color yes; color · red yes; 1 wrong, best 1", "click[< prev]"));
  }

  @Test
  void eachAttributeGetsAVerdictThatFeaturesBearOutAndAllOfThemOneOnTheWayBack() {
    WebShopEnvironment shop = shop();
    Set<String> verdicts = new HashSet<>();
    for (List<Turn> turns : play(baselines().get("careful"), shop)) {
      for (int i = 1; i < turns.size() - 1; i++) {
        if (turns.get(i - 1).answer().action().equals("features")) {
          String thought = turns.get(i).answer().thought();
          for (String part : thought.split("; ")) {
            String attribute = part.replaceFirst(" (yes|no)$", "");
            assertThat(turns.get(0).observation()).contains(attribute);
            boolean said = Wish.says(turns.get(i).observation(), attribute);
            // A title can say it too.
            assertThat(part).endsWith(said || !part.endsWith(" no") ? " yes" : " no");
          }
          Turn after = turns.get(i + 1);
          verdicts.add(after.answer().thought() + " " + after.answer().action());
          if (!after.answer().thought().contains(CompactDialogue.VALUE)) {
            assertThat(after.answer().thought()).isEqualTo(thought.contains(" no") ? "no" : "yes");
          }
        }
      }
    }
    assertThat(verdicts).contains("yes buy", "no back");
  }

  /** Three products, none of which has all that is wanted. */
  private static ShopPage threeShirts(String instruction, String action) {
    return switch (action) {
      case "click[B000000001]" -> ShopPages.product(instruction, "style", "slim", "color", "blue");
      case "click[B000000002]" -> ShopPages.product(instruction, "color", "red");
      case "click[B000000003]" -> ShopPages.product(instruction, "size", "5");
      default ->
          ShopPages.results(
              instruction,
              new ShopPage.Result(1, "B000000001", "Shirt", 9.0),
              new ShopPage.Result(2, "B000000002", "Shirt", 9.0),
              new ShopPage.Result(3, "B000000003", "Shirt", 9.0));
    };
  }

  @Test
  void whoLeavesAProductCountsItsNoesAndTheLastThatWasCalledBestIsOpenedAgain() {
    CarefulShopper careful = new CarefulShopper(() -> LEXICON, 15, -1);
    String instruction = "Find me shirts with color: red, and size: 5";
    List<Visit> turns = new ArrayList<>();
    ShopPage page = ShopPages.index(instruction);
    do {
      Answer answer = careful.answer(turns, page, new SplittableRandom(1));
      turns.add(new Visit(page, answer, true));
      page =
          answer.action().equals("click[red]") ? page : threeShirts(instruction, answer.action());
    } while (turns.size() < 15 && !turns.get(turns.size() - 1).answer().action().contains("buy"));
    assertThat(turns)
        .extracting(turn -> turn.answer().thought())
        .filteredOn(thought -> thought.contains("wrong") || thought.startsWith("best"))
        .containsExactly(
            "style no, color yes; color · red no; size · 5 no; 3 wrong, best 1",
            "color yes; color · red yes; size · 5 no; 1 wrong, best 2",
            "size yes; color · red no; size · 5 yes; 1 wrong",
            "best 2");
  }

  @Test
  void beforeEachChoiceItSaysWhatIsChosenAndWhatComesNext() {
    int choices = 0;
    for (List<Turn> turns : play(baselines().get("imitated"), shop())) {
      for (Turn turn : turns) {
        String page = turn.observation();
        if (!page.contains("chosen ")) {
          continue;
        }
        List<String> parts = List.of(turn.answer().thought().split("; "));
        List<String> next = parts.stream().filter(part -> part.endsWith(" next")).toList();
        assertThat(parts)
            .allSatisfy(
                part -> {
                  String option = part.replaceFirst(" \\w+$", "").replace(" · ", ": ");
                  assertThat(part.endsWith(" chosen")).as(page).isEqualTo(page.contains(option));
                });
        if (turn.answer().action().equals("buy")) {
          assertThat(next).isEmpty();
        } else {
          String value = turn.answer().action().replaceFirst("^choose ", "");
          assertThat(next).singleElement().asString().endsWith(" · " + value + " next");
          choices++;
        }
      }
    }
    assertThat(choices).isPositive();
  }

  @Test
  void theImitatedMethodReadsNoFeaturesWhereTheDemonstratorReadsNone() {
    assertThat(MiniShop.RULE.featuresUpTo()).isNegative();
    WebShopEnvironment shop = shop();
    Map<String, Player> agents = baselines();
    assertThat(actions(agents.get("careful"), shop)).contains("features");
    assertThat(actions(agents.get("imitated"), shop)).doesNotContain("features").contains("buy");
  }

  private static Set<String> actions(Player agent, WebShopEnvironment shop) {
    return play(agent, shop).stream()
        .flatMap(List::stream)
        .map(turn -> turn.answer().action())
        .collect(Collectors.toSet());
  }

  private static WebShopEnvironment shop() {
    return MiniShop.open(WebShopConfig.Prompts.COMPACT, WebShopConfig.Compat.SANE, 0);
  }

  private static Map<String, Player> baselines() {
    return MiniShop.config(
            WebShopConfig.Prompts.COMPACT, WebShopConfig.Compat.SANE, 0, MiniShop.RULE)
        .open(MiniShop.FOLDER, 0)
        .baselines();
  }

  private static List<List<Turn>> play(Player agent, WebShopEnvironment shop) {
    List<Task> tasks = shop.tasks(Split.TRAIN);
    return tasks.subList(0, Math.min(200, tasks.size())).stream()
        .map(task -> agent.play(shop, task, 1))
        .toList();
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
