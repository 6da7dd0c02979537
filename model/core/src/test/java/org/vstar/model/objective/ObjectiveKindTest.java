package org.vstar.model.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.model.advantage.GroupRelative;

class ObjectiveKindTest {

  @TempDir private Path folder;

  private record Config(Map<String, Objective> objectives) {}

  private Map<String, Objective> read(String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("config.yaml"), yaml);
    return new ConfigFile().with(ObjectiveKind.all()).read(file, Map.of(), Config.class).objectives;
  }

  @Test
  void everyKindHasDefaultsForAllOfItsKeysAndAFingerprintOfItsOwn() throws IOException {
    Set<String> fingerprints = new HashSet<>();
    for (String kind : ObjectiveKind.all().keySet()) {
      Objective objective = read("objectives: {one: {kind: '" + kind + "'}}").get("one");
      assertThat(objective).isInstanceOf(ObjectiveKind.all().get(kind));
      assertThat(objective.canonical().text()).contains(kind);
      fingerprints.add(objective.canonical().fingerprint());
    }
    assertThat(fingerprints).hasSameSizeAs(ObjectiveKind.all().keySet()).hasSize(13);
  }

  @Test
  void aSectionSaysDapoByTheKeysOfGrpo() throws IOException {
    Grpo dapo =
        (Grpo)
            read("""
                    objectives:
                      dapo:
                        kind: grpo
                        rolloutsPerTask: 16
                        scale: batch
                        clipHigh: 0.28
                        dualClip: 3
                        aggregation: token-mean
                        klWeight: 0.04
                        klKind: k3+
                        correction: {weight: token, weightMax: 2, reject: {by: product, low: 0.5, high: 2}}
                    """)
                .get("dapo");
    assertThat(dapo.group().rolloutsPerTask()).isEqualTo(16);
    assertThat(dapo.group().scale()).isEqualTo(GroupRelative.Scale.BATCH);
    assertThat(dapo.loss().policy().clipLow()).isEqualTo(0.2);
    assertThat(dapo.loss().policy().clipHigh()).isEqualTo(0.28);
    assertThat(dapo.loss().policy().dualClip()).isEqualTo(3);
    assertThat(dapo.lossAggregation().mode()).isEqualTo(Aggregation.Mode.TOKEN_MEAN);
    assertThat(dapo.loss().kl().klKind()).isEqualTo(KlEstimate.K3_PLUS);
    assertThat(dapo.readsReference()).isTrue();
    assertThat(dapo.loss().correction().weightMax()).isEqualTo(2);
  }

  @Test
  void aKeyThatIsNoneOfAMethodsIsRefusedWithTheNearest() {
    assertThatThrownBy(() -> read("objectives: {one: {kind: grpo, cliphigh: 0.3}}"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll("unknown key 'cliphigh'", "did you mean 'clipHigh'?");
    assertThatThrownBy(() -> read("objectives: {one: {kind: rloo, aggregation: token-mean}}"))
        .hasMessageContaining("seq-mean-token-sum with ratio: sequence-sum");
    assertThatThrownBy(() -> read("objectives: {one: {kind: gigpo, ratio: sequence-sum}}"))
        .hasMessageContaining("each token has an advantage of its own");
    assertThatThrownBy(() -> read("objectives: {one: {kind: grpo, correction: {weightMax: 2}}}"))
        .hasMessageContaining("it does nothing");
    assertThatThrownBy(() -> read("objectives: {one: {kind: grpo, clipLow: 2}}"))
        .hasMessageContaining("clipLow");
  }
}
