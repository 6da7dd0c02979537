package org.vstar.spark.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vstar.common.InvalidInputException;

class DecodingModeTest {

  @Test
  void aModeIsReadBackFromItsText() {
    for (DecodingMode mode :
        List.of(
            DecodingMode.GREEDY,
            DecodingMode.SAMPLED,
            DecodingMode.sampledAt(0.3),
            DecodingMode.beamsOf(4))) {
      assertThat(DecodingMode.of(mode.toString())).isEqualTo(mode);
    }
  }

  @Test
  void onlyWhatDiffersFromTheConfigStandsInAMethodsName() {
    assertThat(DecodingMode.SAMPLED.label("reference")).isEqualTo("reference");
    assertThat(DecodingMode.GREEDY.label("reference")).isEqualTo("reference greedy");
    assertThat(DecodingMode.sampledAt(0.3).label("reference")).isEqualTo("reference at 0.3");
    assertThat(DecodingMode.beamsOf(4).label("reference")).isEqualTo("reference beams of 4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "beam",
        "Greedy",
        "sampled at",
        "sampled at x",
        "sampled 0.3",
        "beams of",
        "beams of x"
      })
  void anUnknownModeIsRefused(String text) {
    assertThatThrownBy(() -> DecodingMode.of(text))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("'mode' is '" + text + "'");
  }

  @Test
  void aRowOfAnUnknownModeIsRefusedWithItsLine() {
    assertThatThrownBy(() -> EpisodeRow.read("episodes.jsonl", List.of("{\"mode\": \"beam\"}")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("episodes.jsonl, line 1: not an episode: ")
        .hasMessageContaining("expected greedy, sampled, sampled at TEMPERATURE or beams of WIDTH");
  }
}
