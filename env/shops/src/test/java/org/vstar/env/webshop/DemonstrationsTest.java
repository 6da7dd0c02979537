package org.vstar.env.webshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
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
import org.vstar.common.Json;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Episode;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.webshop.WebShopConfig.Compat;
import org.vstar.env.webshop.WebShopConfig.Prompts;
import org.vstar.env.webshop.agent.CarefulShopper;
import org.vstar.env.webshop.agent.NoisyShopper;
import org.vstar.env.webshop.agent.OptionAugmentation;
import org.vstar.env.webshop.agent.RepeatedWords;
import org.vstar.env.webshop.agent.Shopper;
import org.vstar.env.webshop.agent.TranslatedAgent;
import org.vstar.env.webshop.agent.WordSubstitution;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.dialogue.Rewording;
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
  void optionsHaveOtherNamesInSoManyEpisodesAsTheShareSays() {
    Variations variations = new Variations(SHOP);
    TrainVariation half = new TrainVariation(1, 0, 0, 0.0, 0.0, 0.0, 0.5, 0.0, 1);
    Task task = SHOP.tasks(Split.TRAIN).get(0);
    String name = "color";
    int other = 0;
    for (int seed = 0; seed < 200; seed++) {
      Rewording drawn = variations.draw(SHOP.goal(task), half, new SplittableRandom(seed));
      String read = drawn.substituted(name + " · " + name + ": buy open");
      assertThat(drawn.restored(read)).isEqualTo(name + " · " + name + ": buy open");
      assertThat(read).endsWith(": buy open");
      other += read.startsWith(name + " ·") ? 0 : 1;
    }
    assertThat(other).isBetween(70, 130);
  }

  @Test
  void aVariationIsAPresetsNameOrAPresetWithOtherValuesBesideIt() throws Exception {
    TrainVariation standard = Json.MAPPER.readValue("\"standard\"", TrainVariation.class);
    assertThat(standard).isEqualTo(read("{\"preset\": \"standard\"}"));
    assertThat(standard.wordSubstitution()).isEqualTo(0.7);
    assertThat(read("{}")).isEqualTo(TrainVariation.NONE).isEqualTo(read("\"none\""));
    TrainVariation own = read("{\"preset\": \"moderate\", \"rareWords\": 1, \"variants\": 2}");
    assertThat(own).isEqualTo(new TrainVariation(0.5, 0, 0, 1, 0, 0.2, 0.2, 0.2, 2));
    assertThatThrownBy(() -> read("\"much\""))
        .hasMessageContaining("'preset' is 'much', expected one of [moderate, none, standard]");
    assertThatThrownBy(() -> read("{\"rare\": 1}")).hasMessageContaining("rare");
  }

  private static TrainVariation read(String json) throws Exception {
    return Json.MAPPER.readValue(json, TrainVariation.class);
  }

  private static TrainVariation variants(int count, double wordSubstitution) {
    return new TrainVariation(wordSubstitution, 0.3, 0, 0, 0, 0, 0, 0, count);
  }

  @Test
  void aVariationIsATaskWhosePromptNoSeedChangesAndHeldOutTasksAreAsTheyAre() {
    WebShopEnvironment shop = varied(variants(1, 1));
    List<Task> train = shop.tasks(Split.TRAIN);
    assertThat(train).hasSameSizeAs(SHOP.tasks(Split.TRAIN));
    for (Split split : List.of(Split.VALIDATION, Split.TEST)) {
      assertThat(shop.tasks(split)).isEqualTo(SHOP.tasks(split)).isEqualTo(shop.originals(split));
    }
    for (int i = 0; i < 40; i++) {
      Task task = train.get(i);
      Task original = shop.originals(Split.TRAIN).get(i);
      assertThat(task.prompt()).startsWith("find me ").isNotEqualToIgnoringCase(original.prompt());
      assertThat(shop.start(task, 3).observation()).isEqualTo(task.prompt());
      assertThat(shop.start(task, 4).observation()).isEqualTo(task.prompt());
      assertThat(shop.start(original, 4).observation()).isEqualTo(original.prompt());
      assertThat(shop.goal(task)).isEqualTo(shop.goal(original));
      assertThat(task.cluster()).isEqualTo(original.cluster());
    }
    assertThat(shop.fingerprint()).isNotEqualTo(SHOP.fingerprint());
  }

  /** Two samples of a task do not read two prompts, of which one is easy and one cannot be done. */
  @Test
  void eachOriginalGivesAsManyTasksAsTheConfigSaysEachWithAnIdAndAPromptOfItsOwn() {
    WebShopConfig config = variedConfig(variants(3, 0.7));
    WebShopEnvironment shop = config.environment(MiniShop.FOLDER, 7);
    List<Task> train = shop.tasks(Split.TRAIN);
    int originals = SHOP.tasks(Split.TRAIN).size();
    assertThat(train).hasSize(3 * originals);
    assertThat(train.stream().map(Task::id)).doesNotHaveDuplicates();
    for (int i = 0; i < originals; i++) {
      assertThat(train.subList(3 * i, 3 * i + 3).stream().map(Task::prompt))
          .doesNotHaveDuplicates();
    }
    assertThat(config.environment(MiniShop.FOLDER, 7).tasks(Split.TRAIN)).isEqualTo(train);
    WebShopEnvironment other = config.environment(MiniShop.FOLDER, 8);
    assertThat(other.tasks(Split.TRAIN)).isNotEqualTo(train);
    assertThat(other.tasks(Split.TEST)).isEqualTo(shop.tasks(Split.TEST));
    assertThat(other.fingerprint()).isEqualTo(shop.fingerprint());
    assertThatThrownBy(() -> new Demonstrator(1, -1, 0, MiniShop.RULE.errors(), variants(2, 0)))
        .hasMessageContaining("demonstrator.variation.variants");
  }

  /** Nothing but a prompt tells tasks apart, so one that is there already is no task of its own. */
  @Test
  void whereNoPromptDiffersAnOriginalGivesOneTask() {
    assertThat(varied(variants(3, 0)).tasks(Split.TRAIN)).hasSameSizeAs(SHOP.tasks(Split.TRAIN));
    TrainVariation nothing = new TrainVariation(0, 0, 0, 0, 0, 0, 0, 0, 3);
    assertThat(varied(nothing).tasks(Split.TRAIN)).isEqualTo(SHOP.tasks(Split.TRAIN));
  }

  @Test
  void aScriptPlaysAVariationAsItPlaysItsOriginal() {
    WebShopEnvironment shop = varied(new TrainVariation(1, 0, 0, 0, 0, 0, 0, 0, 1));
    Player careful = new TranslatedAgent(new CarefulShopper(shop::lexicon, shop.maxTurns(), -1));
    for (int i = 0; i < 40; i++) {
      List<Turn> own = careful.play(shop, shop.originals(Split.TRAIN).get(i), 1);
      List<Turn> varied = careful.play(shop, shop.tasks(Split.TRAIN).get(i), 1);
      assertThat(varied.stream().map(Turn::outcome))
          .isEqualTo(own.stream().map(Turn::outcome).toList());
      assertThat(varied.get(0).answer().action()).isNotEqualTo(own.get(0).answer().action());
    }
  }

  @Test
  void aPolicyThatReadsOtherWordsIsUnderstood() {
    WebShopEnvironment varied = varied(new TrainVariation(1, 0, 0, 0, 0, 0, 0, 0, 1));
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
        new TrainVariation(0, 0, 1, 0, 0, 0, 0, 0, 1),
        new TrainVariation(0, 0, 0, 0.0, 1.0, 0.0, 0.0, 0.0, 1),
        new TrainVariation(0, 0, 0, 0.0, 0.0, 1.0, 0.0, 0.0, 1),
        new TrainVariation(1, 0, 0, 0.0, 0.0, 0.0, 1.0, 0.0, 1),
        new TrainVariation(1, 0, 0, 0.0, 0.0, 0.0, 0.0, 1.0, 1),
        new TrainVariation(1, 0.2, 0.3, 0.3, 0.5, 0.5, 0.5, 0.5, 1));
  }

  @ParameterizedTest
  @MethodSource("variations")
  void whatIsDoneOnPagesThatVaryIsDoneInTheShop(TrainVariation variation) {
    Variations variations = new Variations(SHOP);
    List<Task> tasks = SHOP.tasks(Split.TRAIN).subList(0, 60);
    int varied = 0;
    for (int i = 0; i < tasks.size(); i++) {
      Shopper careful = new CarefulShopper(SHOP::lexicon, SHOP.maxTurns(), CarefulShopper.ALWAYS);
      Variations.Variant variant = variations.of(tasks.get(i), variation, i).get(0);
      List<Turn> turns =
          new TranslatedAgent(careful)
              .playEpisode(variations.start(variant, variation), SHOP.maxTurns(), 1);
      WebShopEpisode again = variations.start(variant, variation);
      Episode plain = SHOP.start(tasks.get(i));
      boolean differs = false;
      for (Turn turn : turns) {
        differs |= !again.observation().equals(plain.observation());
        assertThat(again.observation()).isEqualTo(turn.observation());
        assertThat(again.step(turn.answer().action())).isEqualTo(turn.outcome());
        String own = again.words().restored(turn.answer().action());
        differs = differs || !plain.step(own).valid();
      }
      varied += differs ? 1 : 0;
    }
    assertThat(varied).isGreaterThan(tasks.size() / 3);
  }

  @Test
  void eachVariationHasAFingerprintOfItsOwn() {
    assertThat(
            Stream.concat(Stream.of(TrainVariation.NONE), variations())
                .map(TrainVariation::canonical))
        .doesNotHaveDuplicates();
  }

  @Test
  void errorsAreAskedForWhereANoisyShopperPlaysAlone() {
    assertThat(new Demonstrator(1, -1, 0, null, MiniShop.NONE).errors()).isNull();
    assertThatThrownBy(() -> new Demonstrator(0.9, -1, 0, null, MiniShop.NONE))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'demonstrator.errors' is not there");
  }

  @Test
  void featuresAreReadWhereNoMoreOptionsAreWantedThanTheConfigSays() {
    Map<Integer, Set<Integer>> read = new HashMap<>();
    for (int upTo : List.of(-1, 1, CarefulShopper.ALWAYS)) {
      Player careful =
          new TranslatedAgent(new CarefulShopper(SHOP::lexicon, SHOP.maxTurns(), upTo));
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
    TrainVariation much = new TrainVariation(0.7, 0.3, 0.3, 0.3, 0.5, 0.5, 0.5, 0.5, 1);
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

  private static WebShopConfig variedConfig(TrainVariation variation) {
    WebShopConfig plain = MiniShop.config(Prompts.COMPACT, Compat.SANE, 0, MiniShop.RULE);
    return new WebShopConfig(
        plain.data(), plain.goals(), plain.shop(), plain.reward(), plain.demonstrator(), variation);
  }

  private static WebShopEnvironment varied(TrainVariation variation) {
    return variedConfig(variation).environment(MiniShop.FOLDER, 0);
  }
}
