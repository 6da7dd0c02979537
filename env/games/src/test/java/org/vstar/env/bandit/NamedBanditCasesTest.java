package org.vstar.env.bandit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.vstar.env.python.NumpyGenerator;
import org.vstar.env.ragen.Game.Move;
import org.vstar.env.ragen.GameCases;
import org.vstar.env.ragen.LoopCases;

class NamedBanditCasesTest {

  private final JsonNode file = GameCases.file("bandit.json");

  @TestFactory
  Stream<DynamicTest> aMachineHasRagensArmsAndPays() {
    return GameCases.cases(file, "cases").stream()
        .map(
            of ->
                DynamicTest.dynamicTest(
                    of.required("seed") + " + " + of.required("counter"), () -> require(of)));
  }

  private static void require(JsonNode of) {
    long seed = of.required("seed").asLong() + of.required("counter").asLong();
    boolean train = of.required("split").asText().equals("train");
    NamedBandit.Machine machine =
        NamedBandit.Machine.of(seed, train ? NamedBandit.TRAIN : NamedBandit.HELD_OUT);
    assertThat(machine.arms()).isEqualTo(GameCases.texts(of.required("arms")));
    assertThat(machine.pair())
        .containsExactly(of.required("low").asText(), of.required("high").asText());
    NamedBandit.Pull pull = new NamedBandit.Pull(machine, new NumpyGenerator(seed));
    if (of.has("observation")) {
      assertThat(pull.state()).isEqualTo(of.required("observation").asText());
    }
    Move move = pull.play(of.required("action").asText());
    assertThat(move.reward()).isEqualTo(of.required("reward").asDouble());
    assertThat(move.success()).isEqualTo(of.required("success").asBoolean());
    assertThat(pull.state()).isEqualTo(of.required("after").asText());
  }

  @TestFactory
  Stream<DynamicTest> aTurnInRagensLoopIsRagens() {
    return LoopCases.of(
        "bandit",
        (tag, of) -> {
          long seed = of.required("seed").asLong() + of.path("counter").asLong();
          boolean train = tag.required("split").asText().equals("train");
          NamedBandit.Machine machine =
              NamedBandit.Machine.of(seed, train ? NamedBandit.TRAIN : NamedBandit.HELD_OUT);
          return new NamedBandit.Pull(machine, new NumpyGenerator(seed));
        });
  }

  @Test
  void theSystemsMessageIsRagens() {
    JsonNode tag = LoopCases.tag("Bandit");
    assertThat(new NamedBandit().system(LoopCases.loop(tag, tag)))
        .isEqualTo(tag.required("system").asText());
  }

  @Test
  void theNamesAreRagens() {
    assertThat(names("train")).isEqualTo(NamedBandit.TRAIN);
    assertThat(names("test")).isEqualTo(NamedBandit.HELD_OUT);
  }

  private List<List<String>> names(String split) {
    List<List<String>> names = new ArrayList<>();
    file.required("names").required(split).forEach(pair -> names.add(GameCases.texts(pair)));
    return names;
  }
}
