package org.vstar.env.countdown;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.vstar.env.ragen.Board;
import org.vstar.env.ragen.Budget;
import org.vstar.env.ragen.GameCases;
import org.vstar.env.ragen.LoopCases;

class CountdownCasesTest {

  private final JsonNode file = GameCases.file("countdown.json");

  private static Puzzle puzzle(JsonNode of) {
    List<Integer> numbers = new ArrayList<>();
    of.required("numbers").forEach(number -> numbers.add(number.asInt()));
    return new Puzzle(numbers, of.required("target").asInt());
  }

  private static String answer(JsonNode of) {
    if (of.has("answer")) {
      return of.get("answer").asText();
    }
    StringBuilder answer = new StringBuilder();
    of.required("parts")
        .forEach(part -> answer.append(part.get(0).asText().repeat(part.get(1).asInt())));
    return answer.toString();
  }

  @TestFactory
  Stream<DynamicTest> anAnswerIsJudgedAsASumAndNeverRun() {
    return GameCases.cases(file, "cases").stream()
        .map(
            of ->
                DynamicTest.dynamicTest(
                    of.required("id").asText(),
                    () -> {
                      Verdict verdict = puzzle(of).judge(answer(of));
                      assertThat(verdict.text()).isEqualTo(of.required("verdict").asText());
                      assertThat(verdict.reward()).isEqualTo(of.required("reward").asDouble());
                    }));
  }

  @TestFactory
  Stream<DynamicTest> aTurnInRagensLoopIsRagens() {
    return LoopCases.of("countdown", (tag, of) -> new Countdown.Attempt(puzzle(of)));
  }

  @Test
  void theSystemsMessageIsRagens() {
    JsonNode tag = LoopCases.tag("Countdown");
    assertThat(new Countdown().system(LoopCases.loop(tag, tag)))
        .isEqualTo(tag.required("system").asText());
  }

  @TestFactory
  Stream<DynamicTest> aSeedHasItsPuzzleWhichAdditionAndSubtractionSolve() {
    return GameCases.cases(file, "generated").stream()
        .map(
            of ->
                DynamicTest.dynamicTest(
                    "seed " + of.required("seed"),
                    () -> {
                      long seed = of.required("seed").asLong();
                      assertThat(Puzzle.of(seed)).isEqualTo(puzzle(of));
                      Board board = new Countdown().board(seed).orElseThrow();
                      assertThat(board.text()).isEqualTo(of.required("observation").asText());
                      assertThat(board.key()).isEqualTo(of.required("key").asText());
                      assertThat(board.split().word()).isEqualTo(of.required("split").asText());
                      Countdown world = new Countdown();
                      String plan = world.plan(world.game(seed, 0), new Budget(1, 1, 1)).get(0);
                      assertThat(puzzle(of).judge(plan)).isEqualTo(Verdict.RIGHT);
                    }));
  }
}
