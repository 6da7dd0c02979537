package org.vstar.env.webshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.WebShopConfig.Compat;
import org.vstar.env.webshop.WebShopConfig.Prompts;
import org.vstar.env.webshop.agent.CarefulShopper;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.agent.OptionAugmentation;
import org.vstar.env.webshop.agent.RepeatedWords;
import org.vstar.env.webshop.agent.Rewording;
import org.vstar.env.webshop.agent.TranslatedAgent;
import org.vstar.env.webshop.agent.WordSubstitution;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.dialogue.WebShopEpisode;
import org.vstar.env.webshop.simulator.Session;
import org.vstar.env.webshop.simulator.WebShop;

/** How demonstrations are made unlike the products that they are played with. */
class DemonstrationsTest {

  private static final WebShopEnvironment SHOP = MiniShop.open(Prompts.COMPACT, Compat.SANE, 0);

  @Test
  void shuffledOptionsAreTheProductsOwnInOtherOrderAndTheSameAtEveryLook() {
    OptionAugmentation some = new OptionAugmentation(3, 0.3);
    int kept = 0;
    int all = 0;
    boolean moved = false;
    for (Item item : SHOP.shop().data().items()) {
      Item other = some.apply(item);
      assertThat(some.apply(item)).isEqualTo(other);
      assertThat(other.options().keySet()).isEqualTo(item.options().keySet());
      for (Map.Entry<String, List<String>> group : item.options().entrySet()) {
        List<String> values = other.options().get(group.getKey());
        assertThat(group.getValue()).containsAll(values);
        assertThat(values).isNotEmpty();
        moved |= !values.equals(group.getValue().stream().filter(values::contains).toList());
        kept += values.size();
        all += group.getValue().size();
      }
    }
    assertThat(moved).isTrue();
    assertThat(kept / (double) all).isBetween(0.65, 0.85);
  }

  @Test
  void demonstrationsLackValuesThatTheShopHasAndSayNoToThem() {
    assertThat(saidNo(0.8)).isGreaterThan(2 * saidNo(0));
  }

  /** How often a demonstrator finds that the first product lacks what is wanted. */
  private static long saidNo(double dropped) {
    NoisyShopper.ErrorRates rates = new NoisyShopper.ErrorRates(1, 0, 0, 0, 0);
    return new TrainDemonstrations(SHOP, MiniShop.noisy(rates, dropped))
        .batch(5, 200).stream()
            .filter(turns -> turns.size() > 2 && turns.get(2).answer().thought().contains(" no"))
            .count();
  }

  @Test
  void aShopThatShowsOtherOptionsLeavesTheShopAsItIs() {
    Task task = SHOP.tasks(Split.TEST).get(0);
    Item wanted = SHOP.goal(task).item();
    WebShop other =
        SHOP.shop()
            .withItems(item -> item.withOptions(Map.of("shade", List.of("no shade at all"))));
    for (WebShop shop : List.of(other, SHOP.shop())) {
      Session session = shop.session(SHOP.goal(task), "0", false);
      session.step("search[" + wanted.title() + "]");
      session.step("click[" + wanted.asin().toLowerCase(Locale.ROOT) + "]");
      assertThat(session.item().options().containsKey("shade")).isEqualTo(shop == other);
    }
  }

  @Test
  void wordsBecomeOtherWordsAndNumbersOtherNumbersButWhatIsKeptStays() {
    WordSubstitution substitution =
        new WordSubstitution(
            Collections.nCopies(5, "red blue lamp 21 25 119 300 1 2 search open left yes"),
            List.of("1 2 search open left yes"));
    List<Turn> turns =
        List.of(
            turn("2 left. 1 red lamp 21.25; 2 blue lamp", "red yes", "open 1"),
            turn("1 left. red lamp, 21.25", "red yes", "search red lamp 21.25"));
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      WordSubstitution.Drawn drawn = substitution.draw(new SplittableRandom(seed));
      List<Turn> other = drawn.substituted(turns);
      assertThat(drawn.restored(other.get(1).answer().action())).isEqualTo("search red lamp 21.25");
      String first = other.get(0).observation();
      assertThat(first).matches("2 left\\. 1 [a-z]+ [a-z]+ \\d+\\.\\d+; 2 [a-z]+ [a-z]+");
      assertThat(other.get(0).answer().action()).isEqualTo("open 1");
      String[] words = first.split(" ");
      assertThat(other.get(1).answer().action())
          .isEqualTo("search " + words[3] + " " + words[4] + " " + words[5].replace(";", ""));
      assertThat(other.get(1).answer().thought()).isEqualTo(words[3] + " yes");
      seen.add(words[5]);
    }
    assertThat(seen.stream().filter(n -> !n.equals("21.25;")).collect(Collectors.toSet()))
        .hasSizeGreaterThan(2);
  }

  @Test
  void aWordOfLettersAndDigitsBecomesAnotherOfItsForm() {
    WordSubstitution substitution = new WordSubstitution(List.of("2pcs 24x24"), List.of("a4"));
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      WordSubstitution.Drawn drawn = substitution.draw(new SplittableRandom(seed));
      String other = drawn.substituted("2pcs-24x24 a4 2pcs");
      assertThat(other).matches("(\\d[a-z]{3})-\\d\\d[a-z]\\d\\d a4 \\1");
      assertThat(drawn.restored(other)).isEqualTo("2pcs-24x24 a4 2pcs");
      seen.add(other);
    }
    assertThat(seen).hasSizeGreaterThan(15);
  }

  @Test
  void optionsHaveOtherNamesInSoManyEpisodesAsTheShareSays() {
    Variations variations = new Variations(SHOP);
    TrainVariation half = new TrainVariation(1, 0, 0, 0.0, 0.0, 0.0, 0.5, 0.0);
    Task task = SHOP.tasks(Split.TRAIN).get(0);
    String name = "color";
    int other = 0;
    for (int seed = 0; seed < 200; seed++) {
      Rewording drawn = variations.draw(task, half, new SplittableRandom(seed));
      String read = drawn.substituted(name + " · " + name + ": buy open");
      assertThat(drawn.restored(read)).isEqualTo(name + " · " + name + ": buy open");
      assertThat(read).endsWith(": buy open");
      other += read.startsWith(name + " ·") ? 0 : 1;
    }
    assertThat(other).isBetween(70, 130);
  }

  @Test
  void wordsKeepTheirEndingsAndPricesTheirOrder() {
    WordSubstitution substitution =
        new WordSubstitution(
            Collections.nCopies(5, "pillow curtain sofa table chair 7 9"), List.of("size"));
    for (int seed = 0; seed < 20; seed++) {
      WordSubstitution.Drawn drawn = substitution.draw(new SplittableRandom(seed));
      String[] words = drawn.substituted("pillow pillows size").split(" ");
      assertThat(words[1]).isEqualTo(words[0] + "s");
      assertThat(words[2]).isEqualTo("size");
      assertThat(drawn.restored("choose " + words[1])).isEqualTo("choose pillows");
      String[] prices = drawn.substituted("$29 $30 $31 lower than 30 dollars").split("\\D+");
      long[] price = Arrays.stream(prices).skip(1).mapToLong(Long::parseLong).toArray();
      assertThat(price[0]).isBetween(29L, 87L).isLessThan(price[1]);
      assertThat(price[1]).isEqualTo(price[3]).isLessThan(price[2]);
    }
  }

  @Test
  void soManyWordsBecomeRareOnesAsTheShareSays() {
    List<String> text =
        new ArrayList<>(Collections.nCopies(5, "sofa table chair lamp mirror shelf"));
    text.add("zilbat 8oz ärmol sofaandtableset x1 7 !");
    WordSubstitution substitution = new WordSubstitution(text, List.of("size"));
    Set<String> rare = Set.of("zilbat", "ärmol");
    int[] shares = {0, 50, 100};
    int[] found = new int[shares.length];
    for (int i = 0; i < shares.length; i++) {
      for (int seed = 0; seed < 400; seed++) {
        WordSubstitution.Drawn drawn =
            substitution.draw(new SplittableRandom(seed), shares[i] / 100.0);
        String word = drawn.substituted("sofa");
        found[i] += rare.contains(word) ? 1 : 0;
        assertThat(drawn.restored(word)).isEqualTo("sofa");
      }
    }
    assertThat(found[0]).isZero();
    assertThat(found[1]).isBetween(160, 240);
    assertThat(found[2]).isEqualTo(400);
    assertThat(substitution.draw(new SplittableRandom(2), 0).substituted("sofa lamp"))
        .isEqualTo(substitution.draw(new SplittableRandom(2)).substituted("sofa lamp"));
  }

  @Test
  void trainTasksVaryWithTheSeedAndHeldOutTasksDoNot() {
    WebShopEnvironment shop = varied(new TrainVariation(1, 0.3, 0));
    Task test = shop.tasks(Split.TEST).get(0);
    assertThat(shop.start(test, 3).observation()).isEqualTo(test.prompt());
    Task train = shop.tasks(Split.TRAIN).get(0);
    String reworded = shop.start(train, 3).observation();
    assertThat(reworded).isEqualTo(shop.start(train, 3).observation()).startsWith("find me ");
    assertThat(reworded).isNotEqualToIgnoringCase(train.prompt());
    assertThat(shop.start(train, 4).observation()).isNotEqualTo(reworded);
    assertThat(shop.fingerprint()).isNotEqualTo(SHOP.fingerprint());
  }

  @Test
  void aPolicyThatReadsOtherWordsIsUnderstood() {
    WebShopEnvironment varied = varied(new TrainVariation(1, 0, 0));
    WordSubstitution words = new WordSubstitution(varied.vocabularyText(), varied.keptWords());
    List<String> pages = varied.vocabularyText();
    for (int seed = 0; seed < 10; seed++) {
      WordSubstitution.Drawn drawn = words.draw(new SplittableRandom(seed), 0.3);
      for (String page : pages.subList(0, Math.min(300, pages.size()))) {
        assertThat(drawn.restored(drawn.substituted(page))).isEqualToIgnoringCase(page);
      }
    }
    for (Task task : varied.tasks(Split.TRAIN).subList(0, 40)) {
      WordSubstitution.Drawn drawn = words.draw(new SplittableRandom(5));
      assertThat(drawn.restored(drawn.substituted(task.prompt())))
          .isEqualToIgnoringCase(task.prompt());
    }
  }

  @Test
  void aValueCanSayAWordTwiceAndIsFoundAgainWhereTheShopHasIt() {
    List<String> values = List.of("16\" x 24\"", "24\" x 24\"", "16\" x 24\" deluxe", "red");
    RepeatedWords repeated = new RepeatedWords(values, List.of("back size"));
    Set<String> seen = new TreeSet<>();
    for (int seed = 0; seed < 200; seed++) {
      Rewording drawn = repeated.draw(Map.of("size", "16\" x 24\""), new SplittableRandom(seed));
      String page = "2 left. 1 size · 16\" x 20\" · 16\" x 24\"; color · red.";
      String read = drawn.substituted(page);
      assertThat(read).startsWith("2 left. 1 size · 16\" x 20\" · ").endsWith("; color · red.");
      String value =
          read.substring(read.lastIndexOf(" · ", read.indexOf(';')) + 3, read.indexOf(';'));
      seen.add(value);
      assertThat(drawn.restored("choose " + value)).isEqualTo("choose 16\" x 24\"");
      assertThat(drawn.restored("choose " + value.replace("\"", " \"")))
          .isEqualTo("choose 16\" x 24\"");
    }
    assertThat(seen)
        .contains("16\" x 16\"", "16\" x 24\" size", "size 16\" x 24\"", "16\" x 24\" 24")
        .doesNotContain("24\" x 24\"", "16\" x 24\"");
    for (String alone : List.of("12", "back", "xl")) {
      assertThat(repeated.draw(Map.of("size", alone), new SplittableRandom(1)))
          .isSameAs(Rewording.NONE);
    }
  }

  private static Stream<TrainVariation> variations() {
    return Stream.of(
        new TrainVariation(0, 0, 1),
        new TrainVariation(0, 0, 0, 0.0, 1.0, 0.0, 0.0, 0.0),
        new TrainVariation(0, 0, 0, 0.0, 0.0, 1.0, 0.0, 0.0),
        new TrainVariation(1, 0, 0, 0.0, 0.0, 0.0, 1.0, 0.0),
        new TrainVariation(0, 0, 0, 0.0, 0.0, 0.0, 0.0, 1.0),
        new TrainVariation(1, 0.2, 0.3, 0.3, 0.5, 0.5, 0.5, 0.5));
  }

  @ParameterizedTest
  @MethodSource("variations")
  void whatIsDoneOnPagesThatVaryIsDoneInTheShop(TrainVariation variation) {
    Variations variations = new Variations(SHOP);
    List<Task> tasks = SHOP.tasks(Split.TRAIN).subList(0, 60);
    int varied = 0;
    for (int i = 0; i < tasks.size(); i++) {
      Agent careful = new CarefulShopper(SHOP::lexicon, SHOP.maxTurns(), CarefulShopper.ALWAYS);
      SplittableRandom random = new SplittableRandom(i);
      WebShopEpisode own = variations.withOtherOptions(tasks.get(i), variation, random);
      List<Turn> turns = new TranslatedAgent(careful).playEpisode(own, SHOP.maxTurns(), 1);
      Rewording drawn = variations.draw(tasks.get(i), variation, random);
      List<Turn> read = drawn.substituted(turns);
      Episode again = variations.start(tasks.get(i), variation, i);
      Episode plain = SHOP.start(tasks.get(i));
      boolean differs = false;
      for (int turn = 0; turn < turns.size(); turn++) {
        differs |= !again.observation().equals(plain.observation());
        assertThat(again.observation()).isEqualTo(read.get(turn).observation());
        assertThat(again.step(read.get(turn).answer().action()))
            .isEqualTo(turns.get(turn).outcome());
        differs = differs || !plain.step(turns.get(turn).answer().action()).valid();
      }
      varied += differs ? 1 : 0;
    }
    assertThat(varied).isGreaterThan(tasks.size() / 3);
  }

  @Test
  void eachVariationHasAFingerprintOfItsOwn() {
    assertThat(
            Stream.concat(Stream.of(new TrainVariation(0, 0, 0)), variations())
                .map(TrainVariation::canonical))
        .doesNotHaveDuplicates();
  }

  @Test
  void alikeValuesAreRefusedWhereRewardsAreLearnedFrom() {
    assertThatThrownBy(() -> varied(new TrainVariation(0, 0, 0, null, null, null, null, 0.4)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("training.alikeValues")
        .hasMessageContaining("0.4")
        .hasMessageContaining("hot pink");
  }

  @Test
  void featuresAreReadWhereNoMoreOptionsAreWantedThanTheConfigSays() {
    Map<Integer, Set<Integer>> read = new HashMap<>();
    for (int upTo : List.of(-1, 1, CarefulShopper.ALWAYS)) {
      Agent careful = new TranslatedAgent(new CarefulShopper(SHOP::lexicon, SHOP.maxTurns(), upTo));
      for (Task task : SHOP.tasks(Split.TRAIN)) {
        boolean reads =
            careful.play(SHOP, task, 1).stream()
                .anyMatch(turn -> turn.answer().action().equals("features"));
        if (reads) {
          read.computeIfAbsent(upTo, k -> new TreeSet<>()).add(SHOP.goal(task).optionCount());
        }
      }
    }
    assertThat(read).doesNotContainKey(-1);
    assertThat(read.get(1)).isNotEmpty().allMatch(options -> options <= 1);
    assertThat(read.get(CarefulShopper.ALWAYS)).anyMatch(options -> options > 1);
  }

  @Test
  void slipsAreMarkedAndTheShopperFindsItsWayAfterThem() {
    double[] rates = {0, 0.2};
    long[] slips = new long[rates.length];
    long[] cutOff = new long[rates.length];
    long[] right = new long[rates.length];
    for (int i = 0; i < rates.length; i++) {
      Demonstrator careful =
          new Demonstrator(
              1, CarefulShopper.ALWAYS, rates[i], MiniShop.RULE.errors(), MiniShop.NONE);
      List<List<Turn>> played = new TrainDemonstrations(SHOP, careful).batch(3, 300);
      slips[i] = played.stream().flatMap(List::stream).filter(Turn::slip).count();
      cutOff[i] =
          played.stream()
              .flatMap(List::stream)
              .map(turn -> AnswerFormat.ANSWER.write(turn.answer(), true))
              .filter(text -> !text.endsWith("</answer>"))
              .count();
      right[i] = played.stream().filter(t -> t.get(t.size() - 1).outcome().success()).count();
      assertThat(played.stream().flatMap(List::stream).filter(turn -> !turn.slip()))
          .allMatch(turn -> turn.outcome().valid());
    }
    assertThat(slips[0]).isZero();
    assertThat(slips[1]).isGreaterThan(100);
    assertThat(cutOff[0]).isZero();
    assertThat(cutOff[1]).isGreaterThan(10);
    assertThat(right[1]).isGreaterThan(right[0] * 85 / 100);
  }

  @Test
  void checksSayNoWhereAValueFirstDiffersWhateverThePagesWords() {
    TrainVariation much = new TrainVariation(0.7, 0.3, 0.3, 0.3, 0.5, 0.5, 0.5, 0.0);
    Demonstrator careful = new Demonstrator(1, -1, 0.0, MiniShop.RULE.errors(), much);
    int cut = 0;
    for (List<Turn> turns : new TrainDemonstrations(SHOP, careful).batch(3, 200)) {
      String wish = turns.get(0).observation();
      String said = turns.stream().map(t -> t.answer().thought()).collect(Collectors.joining("; "));
      // How a product stands is said in words that are never substituted.
      assertThat(turns.stream().filter(t -> t.answer().action().equals("back")))
          .allMatch(t -> t.answer().thought().matches("(.*; )?\\d wrong(, best \\d+)?"));
      Matcher lacking = Pattern.compile("(?<=^|; )([^;·]+?) · ([^;]+?) no(?=;|$)").matcher(said);
      while (lacking.find()) {
        assertThat(wish).contains(lacking.group(1) + ": " + lacking.group(2));
        cut += wish.matches(".*: " + Pattern.quote(lacking.group(2)) + ",.*") ? 0 : 1;
      }
    }
    assertThat(cut).isGreaterThan(20);
  }

  private static WebShopEnvironment varied(TrainVariation variation) {
    WebShopConfig plain = MiniShop.config(Prompts.COMPACT, Compat.SANE, 0, MiniShop.RULE);
    return new WebShopConfig(
            plain.data(),
            plain.goals(),
            plain.shop(),
            plain.reward(),
            plain.demonstrator(),
            variation)
        .open(MiniShop.FOLDER);
  }

  private static Turn turn(String observation, String thought, String action) {
    return new Turn(
        observation, new Answer(thought, action), new Outcome(0, false, false, true, "seen"));
  }
}
