package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ConfigFile;
import org.vstar.common.Json;
import org.vstar.env.Environment;
import org.vstar.env.EnvironmentKind;
import org.vstar.env.Split;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.spark.run.RunConfig;

/**
 * Fingerprints that are in users' tables. When one of these tests fails, tables and seeds of the
 * version before are refused: raise the version in the canonical JSON, and say so in the changelog.
 */
class FingerprintsTest {

  private static final Path FOLDER = Path.of("../../conf");
  private static final RunConfig CONFIG = read("webshop-lite.yaml", Map.of());

  private static RunConfig read(String config, Map<String, String> settings) {
    return new ConfigFile()
        .with(EnvironmentKind.all())
        .with(ObjectiveKind.all())
        .read(FOLDER.resolve(config), settings, RunConfig.class);
  }

  private static Environment open(String config, Map<String, String> settings) {
    return read(config, settings).environment().open(FOLDER.toAbsolutePath(), 0).environment();
  }

  @Test
  void thoseOfThePresetsStayWhatTheyAre() {
    Environment lite = open("webshop-lite.yaml", Map.of());
    String mini = "../datasets/webshop-mini/";
    Environment webShop =
        open(
            "webshop-1k.yaml",
            Map.of(
                "environment.data.products", mini + "items.json",
                "environment.data.attributes", mini + "attributes.json",
                "environment.data.human", mini + "human.json"));
    assertThat(lite.fingerprint()).isEqualTo("b86ae4f8f3a334dc");
    assertThat(lite.rewardFingerprint()).isEqualTo("9f600efe1b01fcce");
    assertThat(webShop.fingerprint()).isEqualTo("ca2bec4fc297ee20");
    assertThat(webShop.rewardFingerprint()).isEqualTo("ece4a7dca40d0c04");
    assertThat(CONFIG.sampling().fingerprint()).isEqualTo("b914c81b6383a873");
    assertThat(CONFIG.train().canonical().fingerprint()).isEqualTo("a983f0f958f25a92");
    assertThat(CONFIG.objective().canonical().fingerprint()).isEqualTo("f840bdd06ec52027");
  }

  @Test
  void aSamplesSeedStaysWhatItIs() {
    String task = open("webshop-lite.yaml", Map.of()).tasks(Split.TRAIN).get(0).id();
    assertThat(task).isEqualTo("f581884fb2438dae");
    assertThat(new SampleKey(task, 3).seed(7, new Fingerprints("p", "e", "r", "s")))
        .isEqualTo(-3855676208777010265L);
  }

  /** The sampling section under another class name and other names of its components. */
  private record Decoding(
      @JsonProperty("temperature") double heat,
      @JsonProperty("topP") double nucleus,
      @JsonProperty("maxTokensPerTurn") int longest,
      @JsonProperty("think") boolean thinks,
      @JsonProperty("constrain") boolean legalOnly) {

    String fingerprint() {
      return CanonicalJson.of("sampling", 2)
          .with("constrain", legalOnly)
          .with("think", thinks)
          .with("maxTokensPerTurn", longest)
          .with("topP", nucleus)
          .with("temperature", heat)
          .fingerprint();
    }
  }

  @Test
  void aRecordReadUnderOtherNamesHasTheSameFingerprint() throws Exception {
    String section =
        "{\"temperature\": 1.0, \"topP\": 1, \"maxTokensPerTurn\": 24, \"think\": true,"
            + " \"constrain\": false}";
    Decoding renamed = Json.MAPPER.readValue(section, Decoding.class);
    assertThat(renamed.fingerprint()).isEqualTo(CONFIG.sampling().fingerprint());
  }
}
