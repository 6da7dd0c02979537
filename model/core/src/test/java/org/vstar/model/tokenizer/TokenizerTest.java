package org.vstar.model.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.vstar.env.AnswerFormat.ANSWER;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.Answer;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Split;
import org.vstar.model.SmallShop;
import org.vstar.model.chat.EpisodeMarks;

class TokenizerTest {

  private static final List<String> MARKS = new EpisodeMarks().marks();

  private final Environment shop = SmallShop.environment();
  private final Tokenizer tokenizer =
      new Tokenizer(WordVocabulary.build(shop.vocabularyText(), ANSWER, MARKS));

  @Test
  void answersSurviveEncodingAndDecoding() {
    for (String action : new String[] {"search classic blanket", "click 201", "buy 496"}) {
      Answer answer = new Answer("found 5 results", action);
      String decoded = tokenizer.decode(tokenizer.encode(ANSWER.write(answer, true)));
      assertThat(ANSWER.read(decoded, true)).isEqualTo(answer);
    }
  }

  @Test
  void observationsHaveNoUnknownWords() {
    int unknown = tokenizer.id(WordVocabulary.UNKNOWN);
    Episode episode = shop.start(shop.tasks(Split.TEST).get(0));
    for (String action : new String[] {"search blanket", "click 3", "search zeppelin", "x"}) {
      assertThat(tokenizer.encode(episode.observation())).doesNotContain(unknown);
      episode.step(action);
    }
    assertThat(tokenizer.encode("zeppelin")).containsExactly(unknown);
  }

  @Test
  void vocabularyAndTokenizerAgreeOnWordsOutsideAscii() {
    String text =
        "women\u2019s caf\u00e9 shoes\u00a0size \u201c6.5\u201d \uff08black\uff09 \u203a 28\u2033";
    Tokenizer own = new Tokenizer(WordVocabulary.build(List.of(text), ANSWER, MARKS));
    assertThat(own.encode(text)).doesNotContain(own.id(WordVocabulary.UNKNOWN));
  }

  @Test
  void marksAreSingleTokens() {
    List<String> marks = new ArrayList<>(MARKS);
    marks.addAll(List.of("<think>", "</think>", "<answer>", "</answer>"));
    for (String mark : marks) {
      assertThat(tokenizer.encode(mark)).containsExactly(tokenizer.id(mark));
    }
  }

  @Test
  void fileIsHuggingFacesFormatAndMakesTheSameTokenizer() throws Exception {
    JsonNode json = Json.MAPPER.readTree(tokenizer.json());
    assertThat(json.path("model").path("type").asText()).isEqualTo("WordLevel");
    assertThat(json.path("model").path("vocab").size()).isEqualTo(tokenizer.size());
    Tokenizer again = new Tokenizer(tokenizer.json());
    String text = shop.tasks(Split.TRAIN).get(0).prompt();
    assertThat(again.encode(text)).isEqualTo(tokenizer.encode(text));
  }

  @Test
  void tokensBeyondTheVocabularyDecodeToNothing() {
    int[] padded = {tokenizer.id("<answer>"), tokenizer.size(), tokenizer.id("</answer>")};
    assertThat(tokenizer.decode(padded).replace(" ", "")).isEqualTo("<answer></answer>");
  }

  @Test
  void aFileThatIsNoTokenizerIsRefused() {
    assertThatThrownBy(() -> new Tokenizer("{\"model\": 3}"))
        .isInstanceOf(InvalidInputException.class);
  }
}
