package org.vstar.env.webshop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Outcome;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.python.PythonText;
import org.vstar.env.python.TokenSetRatio;
import org.vstar.env.shopping.SplitAudit;
import org.vstar.env.webshop.agent.Shoppers;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.catalog.MiniCatalogue;
import org.vstar.env.webshop.catalog.ProductFiles;
import org.vstar.env.webshop.catalog.WebShopData;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.GoalDraw;
import org.vstar.env.webshop.goal.GoalSplit;
import org.vstar.env.webshop.reward.NounTagger;
import org.vstar.env.webshop.reward.OpenNlpTagger;
import org.vstar.env.webshop.simulator.Page;
import org.vstar.env.webshop.simulator.Session;
import org.vstar.env.webshop.simulator.WebShop;

/** On a catalogue of our own, so that it runs where the published files are not at hand. */
class WebShopTest {

  private static final Path FOLDER = MiniShop.FOLDER;
  private static final WebShopEnvironment SHOP = environment(WebShopConfig.Compat.SANE, 0);

  private static WebShopEnvironment environment(WebShopConfig.Compat compat, double invalid) {
    return MiniShop.open(WebShopConfig.Prompts.WEBSHOP, compat, invalid);
  }

  @AfterAll
  static void close() {
    SHOP.shop().close();
  }

  private static Session session(boolean original) {
    return SHOP.shop().session(SHOP.split().test().get(0), "0", original);
  }

  private static void buy(Session session) {
    session.step("search[lamp]");
    session.step("click[" + firstProduct(session) + "]");
    assertThat(session.step("click[buy now]").done()).isTrue();
  }

  private static String firstProduct(Session session) {
    return session.page().nodes().stream()
        .filter(Page.Link.class::isInstance)
        .map(n -> ((Page.Link) n).asin())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void generatorReproducesTheFilesByteForByte(@TempDir Path folder) throws IOException {
    MiniCatalogue.write(folder, 120, 0);
    for (String file : List.of("items.json", "attributes.json", "human.json")) {
      assertThat(folder.resolve(file)).hasSameBinaryContentAs(FOLDER.resolve(file));
    }
  }

  @Test
  void afterThePurchaseASessionIsOverUnlessItBehavesAsTheOriginal() {
    Session sane = session(false);
    buy(sane);
    assertThatThrownBy(() -> sane.step("search[mug]")).isInstanceOf(IllegalStateException.class);
    Session original = session(true);
    buy(original);
    assertThat(original.step("click[buy now]").valid()).isFalse();
    buy(original);
  }

  @Test
  void theOriginalMistakesThePageForWhatItsKeywordsName() {
    Session sane = session(false);
    Session original = session(true);
    for (Session s : List.of(sane, original)) {
      s.step("search[search_results lamp]");
      s.step("click[" + firstProduct(s) + "]");
      s.step("click[< prev]");
    }
    assertThat(sane.page().text()).contains("Page 1 (Total results: ");
    assertThat(original.page().text()).contains("Page 0 (Total results: ");
  }

  @Test
  void theOracleBuysRightAndScriptsAreOrderedAsTheyShouldBe() {
    double oracle = score(Shoppers.oracle(SHOP.goals()));
    double rule = score(Shoppers.rule(15));
    double random = score(Shoppers.random());
    assertThat(oracle).isGreaterThan(0.8);
    assertThat(oracle).isGreaterThan(rule);
    assertThat(score(Shoppers.scan(15))).isGreaterThanOrEqualTo(rule);
    assertThat(rule).isGreaterThan(random);
  }

  private static double score(Player agent) {
    double sum = 0;
    for (Task task : SHOP.tasks(Split.TEST)) {
      List<Turn> turns = agent.play(SHOP, task, 3);
      sum += turns.get(turns.size() - 1).outcome().reward();
    }
    return sum / SHOP.tasks(Split.TEST).size();
  }

  @Test
  void splitsShareNoProductAndNoneDominatesAHeldOutOne() {
    for (Split heldOut : List.of(Split.VALIDATION, Split.TEST)) {
      SplitAudit audit = SHOP.split().audit(heldOut);
      assertThat(audit.sameProduct()).isZero();
      assertThat(audit.maxPerProduct()).isLessThanOrEqualTo(5);
      assertThat(audit.goals())
          .isEqualTo(heldOut == Split.TEST ? 40 : 20)
          .isEqualTo(SHOP.tasks(heldOut).size());
    }
    Set<String> validated = new HashSet<>();
    SHOP.split().validation().forEach(goal -> validated.add(goal.item().asin()));
    assertThat(SHOP.split().test()).noneMatch(goal -> validated.contains(goal.item().asin()));
    assertThat(SHOP.tasks(Split.TRAIN)).hasSize(SHOP.split().train().size());
  }

  @Test
  void aShopOfTheFirstProductsHasNoOthers() {
    WebShopData all = SHOP.shop().data();
    WebShopEnvironment part = MiniShop.part(WebShopConfig.Compat.SANE, 50, null);
    assertThat(part.shop().data().items()).isEqualTo(all.items().subList(0, 50));
    assertThat(part.fingerprint()).isNotEqualTo(SHOP.fingerprint());
  }

  @Test
  void limitedGoalsAreDrawnOnceEachAndTheOriginalNeverDrawsTheFirst() {
    List<Goal> goals = SHOP.split().train();
    for (boolean original : List.of(true, false)) {
      List<Goal> drawn =
          new GoalDraw(goals, original).distinct(goals.size() - 1, new PythonRandom(4));
      assertThat(drawn).hasSize(goals.size() - 1).doesNotHaveDuplicates();
      if (original) {
        assertThat(drawn).doesNotContain(goals.get(0));
      }
    }
    GoalSplit limited = MiniShop.part(WebShopConfig.Compat.SANE, null, 60).split();
    assertThat(limited.train().size() + limited.validation().size() + limited.test().size())
        .isBetween(40, 60);
    assertThat(MiniShop.part(WebShopConfig.Compat.SANE, null, 60).split()).isEqualTo(limited);
  }

  @Test
  void taskIdsAndFingerprintRepeatAndTravelToOtherProcesses() throws Exception {
    WebShopEnvironment again = environment(WebShopConfig.Compat.SANE, 0);
    assertThat(again.tasks(Split.TEST)).isEqualTo(SHOP.tasks(Split.TEST));
    assertThat(again.fingerprint()).isEqualTo(SHOP.fingerprint());
    assertThat(environment(WebShopConfig.Compat.ORIGINAL, 0).fingerprint())
        .isNotEqualTo(SHOP.fingerprint());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(SHOP);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      WebShopEnvironment read = (WebShopEnvironment) in.readObject();
      Task task = SHOP.tasks(Split.TEST).get(3);
      assertThat(Shoppers.scan(15).play(read, task, 1))
          .isEqualTo(Shoppers.scan(15).play(SHOP, task, 1));
    }
  }

  @Test
  void plainActionsMeanTheBracketedOnesAndImpossibleOnesPayThePenalty() {
    WebShopEnvironment fined = environment(WebShopConfig.Compat.SANE, -0.1);
    var episode = fined.start(fined.tasks(Split.TEST).get(0));
    assertThat(episode.step("search lamp").valid()).isTrue();
    assertThat(episode.observation()).contains("Page 1 (Total results: ");
    assertThat(episode.step("click next >").valid()).isTrue();
    assertThat(episode.observation()).contains("Page 2 (Total results: ");
    String before = episode.observation();
    Outcome impossible = episode.step("click buy now");
    assertThat(impossible.valid()).isFalse();
    assertThat(impossible.reward()).isEqualTo(-0.1);
    assertThat(episode.observation()).isEqualTo(before);
  }

  private static int[] drawn(boolean original, int draws) {
    List<Goal> goals = new java.util.ArrayList<>();
    for (double weight : new double[] {4, 1, 2, 1}) {
      goals.add(SHOP.split().test().get(0).withWeight(weight));
    }
    GoalDraw draw = new GoalDraw(goals, original);
    PythonRandom random = new PythonRandom(7);
    int[] counts = new int[goals.size()];
    for (int i = 0; i < draws; i++) {
      counts[draw.next(random)]++;
    }
    return counts;
  }

  @Test
  void goalsAreDrawnByTheirWeightsUnlessItBehavesAsTheOriginalWhichIsOffByOne() {
    int[] sane = drawn(false, 8000);
    int[] original = drawn(true, 8000);
    int[] saneExpected = {4000, 1000, 2000, 1000};
    // The first never; each other with the weight of the one before; the last with its own too.
    int[] originalExpected = {0, 4000, 1000, 3000};
    for (int i = 0; i < 4; i++) {
      assertThat(sane[i]).isCloseTo(saneExpected[i], within(150));
      assertThat(original[i]).isCloseTo(originalExpected[i], within(150));
    }
    assertThat(original[0]).isZero();
  }

  @Test
  void aShopThatShowsAttributesHasAPageOfThem() {
    Task task = SHOP.tasks(Split.TEST).get(0);
    Goal goal = SHOP.goal(task);
    try (WebShop shows = new WebShop(SHOP.shop().data(), new OpenNlpTagger(), true)) {
      Session session = shows.session(goal, "0", false);
      session.step("search[lamp]");
      session.step("click[" + firstProduct(session) + "]");
      assertThat(session.page().text()).contains("Reviews [SEP] Attributes [SEP] Buy Now");
      assertThat(session.step("click[attributes]").valid()).isTrue();
      Item item = session.item();
      assertThat(session.page().text())
          .contains(item.attributes().get(0) + " [SEP] ")
          .endsWith(
              item.category() + " [SEP] " + item.query() + " [SEP] " + item.productCategory());
    }
    Session without = session(false);
    without.step("search[lamp]");
    without.step("click[" + firstProduct(without) + "]");
    assertThat(without.step("click[attributes]").valid()).isFalse();
  }

  @Test
  void specialSearchesListAQueryACategoryOrSomeProducts() {
    Session session = session(false);
    session.step("search[<q> lamps]");
    assertThat(session.page().text()).contains("Total results: 15");
    session.step("search[<c> garden]");
    assertThat(session.page().text()).contains("Total results: 60");
    session.step("search[<r>]");
    assertThat(session.page().text()).contains("Total results: 50");
    session.step("search[<c>]");
    assertThat(session.page().text()).contains("Total results: 0");
  }

  @Test
  void malformedDataIsNamedByFileAndPlace(@TempDir Path folder) throws IOException {
    for (String file : List.of("items.json", "attributes.json", "human.json")) {
      Files.copy(FOLDER.resolve(file), folder.resolve(file));
    }
    Path items = folder.resolve("items.json");
    String good = Files.readString(items);
    Map<String, String> faults =
        Map.of(
            good.replaceFirst("\"pricing\" : \"[$][^\"]*\"", "\"pricing\" : \"\\$ask us\""),
            "'$ask us' is not a price",
            good.replaceFirst("\"name\"", "\"nome\""),
            "'name' is missing",
            good.substring(0, good.length() / 2),
            "not JSON",
            "{}",
            "expected a list of products");
    for (var fault : faults.entrySet()) {
      Files.writeString(items, fault.getKey());
      assertThatThrownBy(
              () ->
                  WebShopData.read(
                      new ProductFiles(
                          items, folder.resolve("attributes.json"), folder.resolve("human.json")),
                      new PythonRandom(1)))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("items.json")
          .hasMessageContaining(fault.getValue());
    }
  }

  @Test
  void pythonsTextsOfNumbersAndStrings() {
    assertThat(
            java.util.stream.DoubleStream.of(100, 18.5, 0.1, 1e16, 1e-5, 1234567.125, 2e-3, 0)
                .mapToObj(PythonText::text)
                .toList())
        .containsExactly("100.0", "18.5", "0.1", "1e+16", "1e-05", "1234567.125", "0.002", "0.0");
    assertThat(PythonText.repr("it's")).isEqualTo("\"it's\"");
    assertThat(PythonText.repr("a\"b'\u00a0")).isEqualTo("'a\"b\\'\\xa0'");
    assertThat(PythonText.strip("\u00a0 a \u2003")).isEqualTo("a");
    assertThat(PythonText.lower("ΟΔΟΣ ΣΑΣ Σ")).isEqualTo("οδος σας σ");
  }

  @Test
  void theTaggerFindsTheNounsOfATitleOnEveryThread() {
    NounTagger tagger = new OpenNlpTagger();
    List<String> nouns =
        tagger.nouns("Wooden Console Table with a Metal Frame for the Living Room");
    assertThat(nouns).contains("table", "frame", "room").doesNotContain("with", "a", "for", "the");
    assertThat(
            java.util.stream.IntStream.range(0, 64)
                .parallel()
                .mapToObj(i -> tagger.nouns("Wooden Console Table with a Metal Frame"))
                .distinct())
        .hasSize(1);
    assertThat(tagger.nouns("")).isEmpty();
  }

  @Test
  void tokenSetRatioMatchesPublishedExamples() {
    assertThat(TokenSetRatio.of("fuzzy was a bear", "fuzzy fuzzy was a bear")).isEqualTo(100);
    assertThat(TokenSetRatio.of("mariners vs angels", "los angeles angels at seattle mariners"))
        .isBetween(60, 95);
    assertThat(TokenSetRatio.of("", "x")).isZero();
    assertThat(TokenSetRatio.of("easy clean", "easy to clean")).isEqualTo(100);
  }
}
