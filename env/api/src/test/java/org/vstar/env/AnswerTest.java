package org.vstar.env;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerTest {

  private static final AnswerFormat FORMAT = AnswerFormat.ANSWER;

  @Test
  void whatIsFormattedParsesBack() {
    Answer answer = new Answer("look for it", "search red shoes");
    assertThat(FORMAT.read(FORMAT.write(answer, true), true)).isEqualTo(answer);
    assertThat(FORMAT.read(FORMAT.write(answer, false), false))
        .isEqualTo(new Answer("", "search red shoes"));
    Answer silent = new Answer("", "buy 3");
    assertThat(FORMAT.read(FORMAT.write(silent, true), true)).isEqualTo(silent);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "buy 3",
        "<think>a</think>",
        "<think>a</think><answer>buy 3",
        "<answer>buy 3</answer>",
        "x<think>a</think><answer>buy 3</answer>",
        "<think>a</think><answer>search red shoes</answer><answer>buy 3</answer>",
        "<think>a</think><think>b</think><answer>buy 3</answer>"
      })
  void whatLacksTheFormBecomesAnActionThatNoEnvironmentTakes(String text) {
    Answer answer = FORMAT.read(text, true);
    assertThat(answer.thought()).isEmpty();
    assertThat(answer.action()).endsWith(text);
    assertThat(answer).isEqualTo(AnswerFormat.unparsed(text));
    assertThat(FORMAT.write(answer, true)).isEqualTo(text);
  }
}
