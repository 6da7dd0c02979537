package org.vstar.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CanonicalJsonTest {

  @Test
  void keysAreSortedAndNumbersHaveOneSpelling() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("z", 1.0);
    map.put("a", 1L);
    CanonicalJson json =
        CanonicalJson.of("thing", 2)
            .with("texts", List.of("b", "a \"\n"))
            .with("map", map)
            .with("small", 1e-3)
            .with("large", 1e21)
            .with("none", null)
            .with("inner", CanonicalJson.of("part", 1).with("yes", true));
    assertThat(json.text())
        .isEqualTo(
            "{\"inner\":{\"kind\":\"part\",\"version\":1,\"yes\":true},\"kind\":\"thing\","
                + "\"large\":1000000000000000000000,\"map\":{\"a\":1,\"z\":1},\"none\":null,"
                + "\"small\":0.001,\"texts\":[\"b\",\"a \\\"\\n\"],\"version\":2}");
  }

  @Test
  void theVersionAndTheOrderOfAListChangeTheFingerprintAndTheOrderOfNamesDoesNot() {
    CanonicalJson one = CanonicalJson.of("x", 1).with("a", 1).with("b", List.of(1, 2));
    assertThat(CanonicalJson.of("x", 1).with("b", List.of(1, 2)).with("a", 1).fingerprint())
        .isEqualTo(one.fingerprint())
        .hasSize(16);
    assertThat(CanonicalJson.of("x", 2).with("a", 1).with("b", List.of(1, 2)).fingerprint())
        .isNotEqualTo(one.fingerprint());
    assertThat(CanonicalJson.of("x", 1).with("a", 1).with("b", List.of(2, 1)).fingerprint())
        .isNotEqualTo(one.fingerprint());
  }

  @Test
  void whatHasNoOneSpellingIsRefused() {
    CanonicalJson json = CanonicalJson.of("x", 1).with("a", 1);
    assertThatThrownBy(() -> json.with("a", 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> json.with("b", Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> json.with("c", new Object()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theShortestDecimalReadsBackAsTheSameNumber() {
    for (double x :
        new double[] {0.1, 2e-3, 1 / 3.0, 5e-324, Double.MAX_VALUE, -123.25, 2.2e-322}) {
      assertThat(Decimals.shortest(x).doubleValue()).isEqualTo(x);
    }
    assertThat(Decimals.shortest(0.1).toPlainString()).isEqualTo("0.1");
    assertThat(Decimals.shortest(1e23).toString()).isEqualTo("1E+23");
  }
}
