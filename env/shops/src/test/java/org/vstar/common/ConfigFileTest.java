package org.vstar.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vstar.env.EnvironmentConfig;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.webshoplite.Rewards;
import org.vstar.env.webshoplite.WebShopLiteConfig;

class ConfigFileTest {

  record Config(String name, int steps, EnvironmentConfig environment) {

    Config {
      InvalidInputException.require(steps > 0, "steps", steps, "at least 1");
    }
  }

  private static final String GOOD =
      """
      name: trial
      steps: 3
      environment:
        kind: webshop-lite
        catalogue: catalogue.jsonl
        testTargets: 100
        validationTargets: 50
        maxTurns: 15
        rewards:
          preset: shaped
          wrongBuy: -0.5
        demonstrator: {badQuery: 0.8, searchLoop: 0.5, wrongPurchase: 0.15, look: 0.1}
      """;

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = Files.writeString(folder.resolve("trial.yaml"), GOOD);
  }

  private Config read(Map<String, String> overrides) {
    return new ConfigFile().with(EnvironmentKind.all()).read(file, overrides, Config.class);
  }

  private void assertRefused(String from, String to, String... parts) throws IOException {
    Files.writeString(file, GOOD.replace(from, to));
    assertThatThrownBy(() -> read(Map.of()))
        .isInstanceOf(InvalidInputException.class)
        .message()
        .contains("trial.yaml")
        .contains(parts);
  }

  @Test
  void readsTypedRecordsAndFindsTheEnvironmentByItsKind() {
    Config config = read(Map.of());
    assertThat(config.steps()).isEqualTo(3);
    WebShopLiteConfig shop = (WebShopLiteConfig) config.environment();
    assertThat(shop.rewards().wrongBuy()).isEqualTo(-0.5);
    assertThat(shop.rewards().correctBuy()).isEqualTo(Rewards.preset("shaped").correctBuy());
  }

  @Test
  void overridesTakeThePlaceOfKeysAtAnyDepth() {
    Config config = read(Map.of("steps", "7", "environment.rewards.preset", "sparse"));
    assertThat(config.steps()).isEqualTo(7);
    assertThat(((WebShopLiteConfig) config.environment()).rewards().helpfulSearch()).isZero();
  }

  @Test
  void unknownKeyIsNamedWithItsLineAndTheNearestKnownOne() throws IOException {
    assertRefused("steps: 3", "stpes: 3", ":2", "unknown key 'stpes'", "did you mean 'steps'");
    assertRefused(
        "maxTurns", "maxTurn", ":8", "'maxTurn' in 'environment'", "did you mean 'maxTurns'");
  }

  @Test
  void unknownOverrideIsRefusedToo() {
    assertThatThrownBy(() -> read(Map.of("stepz", "7")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("did you mean 'steps'");
    assertThatThrownBy(() -> read(Map.of("training.steps", "7")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("--set training.steps=7: unknown key 'training'");
    assertThatThrownBy(() -> read(Map.of("steps.all", "7")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'steps' is a value in ")
        .hasMessageContaining("trial.yaml:2, and no section");
  }

  @Test
  void missingKeyWrongTypeUnknownKindAndBadValueAreRefused() throws IOException {
    assertRefused("steps: 3\n", "", "steps");
    assertRefused("steps: 3", "steps: many", ":2", "steps");
    assertRefused("steps: 3", "steps: 0", "config key 'steps' is 0, expected at least 1");
    assertRefused("kind: webshop-lite", "kind: chess", "environment", "chess", "webshop-lite");
    assertRefused("preset: shaped", "preset: rich", "'rich'", "anti-loop, shaped, shaped-plus");
    assertRefused("name: trial", "name: [", "not YAML");
    assertRefused("catalogue: catalogue.jsonl", "catalogue:", "'environment.catalogue' is empty");
    assertRefused("name: trial\n", "name: trial\nname: twice\n", "name");
  }

  record Loop(String name, Length length, Inner inner) {

    @Group
    record Length(int steps, @Default("2") int every) {
      Length {
        InvalidInputException.require(steps > 0, "loop.steps", steps, "at least 1");
      }
    }

    @Group
    record Inner(@OptionalKey Deep deep, @Default("8") int width) {}

    record Deep(int depth) {}
  }

  record Grouped(Loop loop) {}

  private Grouped grouped(String yaml) throws IOException {
    Path grouped = Files.writeString(folder.resolve("grouped.yaml"), yaml);
    return new ConfigFile().read(grouped, Map.of(), Grouped.class);
  }

  @Test
  void theKeysOfGroupsStandInTheSectionThatHasThem() throws IOException {
    assertThat(grouped("loop:\n  every: 5\n  name: a\n  deep: {depth: 3}\n  steps: 7\n"))
        .isEqualTo(
            new Grouped(new Loop("a", new Loop.Length(7, 5), new Loop.Inner(new Loop.Deep(3), 8))));
    assertThat(grouped("loop: {steps: 7, name: a}").loop())
        .isEqualTo(new Loop("a", new Loop.Length(7, 2), new Loop.Inner(null, 8)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "loop: {name: a, setps: 7} | unknown key 'setps' in 'loop', did you mean 'steps'?",
        "loop: {name: a, steps: 7, length: 3} | unknown key 'length' in 'loop'",
        "loop: {name: a, steps: 7, deep: {dept: 1}} | unknown key 'dept' in 'loop.deep', did you"
            + " mean 'depth'?",
        "loop: {name: a, steps: many} | key 'loop.steps'",
        "loop: {name: a, steps: 0} | config key 'loop.steps' is 0, expected at least 1",
        "loop: {name: a} | key 'loop.steps'",
        "loop: {steps: 1} | key 'loop.name'",
        "loop: 3 | key 'loop'"
      })
  void errorsNameKeysOfGroupsAsFilesDo(String yaml, String message) {
    assertThatThrownBy(() -> grouped(yaml))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("grouped.yaml:1")
        .hasMessageContaining(message);
  }

  @Test
  void missingFileIsSaidSo() {
    assertThatThrownBy(
            () ->
                new ConfigFile()
                    .with(EnvironmentKind.all())
                    .read(folder.resolve("no.yaml"), Map.of(), Config.class))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("no.yaml does not exist");
  }

  @Test
  void aFileBuildsOnTheOneThatItIncludes() throws IOException {
    Path preset =
        Files.writeString(
            folder.resolve("preset.yaml"),
            "include: trial.yaml\nsteps: 9\nenvironment:\n  rewards:\n    preset: sparse\n");
    Config config =
        new ConfigFile().with(EnvironmentKind.all()).read(preset, Map.of(), Config.class);
    assertThat(config.name()).isEqualTo("trial");
    assertThat(config.steps()).isEqualTo(9);
    WebShopLiteConfig shop = (WebShopLiteConfig) config.environment();
    assertThat(shop.rewards().helpfulSearch()).isZero();
    assertThat(shop.rewards().wrongBuy()).isEqualTo(-0.5);
  }

  @Test
  void aMistakeInAnIncludedFileIsPlacedThere() throws IOException {
    Path preset = Files.writeString(folder.resolve("preset.yaml"), "include: trial.yaml\n");
    Files.writeString(file, GOOD.replace("maxTurns", "maxTurn"));
    assertThatThrownBy(
            () -> new ConfigFile().with(EnvironmentKind.all()).read(preset, Map.of(), Config.class))
        .hasMessageContaining("trial.yaml:8: unknown key 'maxTurn'");
    Files.writeString(file, "include: preset.yaml\n");
    assertThatThrownBy(() -> read(Map.of())).hasMessageContaining("without end");
  }

  @Test
  void anEmptyValueInAnOverrideAndABadIncludeAreRefused() throws IOException {
    assertThatThrownBy(() -> read(Map.of("environment.rewards", "{preset: }")))
        .hasMessageContaining("key 'environment.rewards.preset' is empty");
    Path list = Files.writeString(folder.resolve("list.yaml"), "include: [trial.yaml]\n");
    assertThatThrownBy(() -> new ConfigFile().read(list, Map.of(), Config.class))
        .hasMessageContaining("list.yaml:1: key 'include': expected the name of one file");
    Path lost = Files.writeString(folder.resolve("lost.yaml"), "include: nowhere.yaml\n");
    assertThatThrownBy(() -> new ConfigFile().read(lost, Map.of(), Config.class))
        .hasMessageContaining("lost.yaml:1: the included file")
        .hasMessageContaining("nowhere.yaml does not exist");
  }

  @FormerKey(value = "old", now = "fresh")
  record Renamed(int fresh, @OptionalKey Integer maybe) {}

  @Test
  void aFormerKeyIsToldUnderItsNewNameAndAnOptionalOneMayBeLeftOut() throws IOException {
    Path now = Files.writeString(folder.resolve("now.yaml"), "fresh: 1\n");
    assertThat(new ConfigFile().read(now, Map.of(), Renamed.class)).isEqualTo(new Renamed(1, null));
    Path then = Files.writeString(folder.resolve("then.yaml"), "old: 1\n");
    assertThatThrownBy(() -> new ConfigFile().read(then, Map.of(), Renamed.class))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("then.yaml:1: unknown key 'old': it was renamed to 'fresh'");
  }

  @Test
  void textIsWhatIsWrittenOrHasToBePutInQuotes() throws IOException {
    for (String name : List.of("1e-4", "no", "yes", "7", "0.5", "true", "1_000", "0x1F")) {
      assertRefused("name: trial", "name: " + name, ":1: key 'name'", "put it in quotes");
      Files.writeString(file, GOOD.replace("name: trial", "name: \"" + name + "\""));
      assertThat(read(Map.of()).name()).isEqualTo(name);
    }
    for (String name : List.of("2026-01-31", "1.2.3", "7a")) {
      Files.writeString(file, GOOD.replace("name: trial", "name: " + name));
      assertThat(read(Map.of()).name()).isEqualTo(name);
    }
    assertThatThrownBy(() -> read(Map.of("name", "no")))
        .hasMessageContaining("--set name=no: key 'name'")
        .hasMessageContaining("quotes");
  }

  @Test
  void whatOtherReadersOfYamlReadOtherwiseIsRefused() throws IOException {
    assertRefused("steps: 3", "steps: &n 3\nname2: *n", ":3: '*n' is an alias");
    assertRefused("steps: 3", "steps: 007", ":2: '007' begins with a zero");
    Files.writeString(file, GOOD + "---\nsteps: 8\n");
    assertThatThrownBy(() -> read(Map.of())).hasMessageContaining("a second document begins here");
    Files.writeString(file, "\uFEFF---\n" + GOOD.replace("\n", "\r\n") + "...\r\n");
    assertThat(read(Map.of()).steps()).isEqualTo(3);
    assertThatThrownBy(() -> read(Map.of("steps", "*n"))).hasMessageContaining("is an alias");
  }

  @Test
  void anIncludedFileMayHaveSpacesAndWindowsLineEnds() throws IOException {
    Files.writeString(folder.resolve("my base.yaml"), GOOD.replace("\n", "\r\n"));
    Files.writeString(file, "include: \"my base.yaml\"\r\nsteps: 5\r\n");
    assertThat(read(Map.of()).steps()).isEqualTo(5);
    assertThat(new ConfigFile().tree(file, Map.of("steps", "6")).path("steps").asInt())
        .isEqualTo(6);
  }
}
