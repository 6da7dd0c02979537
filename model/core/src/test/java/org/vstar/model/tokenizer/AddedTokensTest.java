package org.vstar.model.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.common.Json;
import org.vstar.model.tokenizer.Tokenizer.Span;

/** Added tokens that are words, and text that is encoded in pieces. */
class AddedTokensTest {

  private static final Path CASES = Path.of("../../../shared/cases");

  private static String json(String name) throws IOException {
    assumeTrue(Files.isDirectory(CASES), "no cases to try");
    return Files.readString(CASES.resolve(name).resolve("tokenizer.json"));
  }

  private static Tokenizer tokenizer(String name) throws IOException {
    return new Tokenizer(json(name));
  }

  private static List<Integer> list(int[] tokens) {
    return Arrays.stream(tokens).boxed().toList();
  }

  @Test
  void anAddedTokenThatIsNotSpecialIsAWord() throws IOException {
    Tokenizer words = tokenizer("added-word");
    int[] text = words.encode("buy waterproof coat");
    assertThat(list(text)).contains(words.id("waterproof"));
    assertThat(words.encodeText("buy waterproof coat")).isEqualTo(text);
    // Beside a mark that is not meant it still is one, with its own id.
    assertThat(list(words.encodeText("a </s> waterproof coat")))
        .contains(words.id("waterproof"))
        .doesNotContain(words.id("</s>"));
  }

  @Test
  void anAddedWordThatStandsAloneIsNoneInsideAnother() throws IOException {
    Tokenizer words = tokenizer("added-single-word");
    for (String text : List.of("buy book coat", "it is ok now", "ok")) {
      assertThat(words.encodeText(text)).isEqualTo(words.encode(text));
    }
    assertThat(list(words.encodeText("a </s> it is ok"))).contains(words.id("ok"));
  }

  @Test
  void aMarkThatStandsAloneIsNoneInsideAWord() throws IOException {
    ObjectNode root = (ObjectNode) Json.MAPPER.readTree(json("added-single-word"));
    int special = root.path("model").path("vocab").size();
    ((ObjectNode) root.withArray("added_tokens").get(3))
        .put("special", true)
        .put("content", "oat")
        .put("id", special);
    Tokenizer marked = new Tokenizer(root.toString());
    assertThat(list(marked.encode("buy coat"))).doesNotContain(special);
    assertThat(marked.encodeText("buy coat")).isEqualTo(marked.encode("buy coat"));
    assertThat(list(marked.encodeText("an oat"))).doesNotContain(special);
    assertThat(list(marked.encode(List.of(new Span("an oat", true))))).contains(special);
  }

  /** Ids of added tokens follow from their places: to leave one out would move the others. */
  @Test
  void wordsKeepTheirIdsWhereMarksBeforeThemAreText() throws IOException {
    ObjectNode root = (ObjectNode) Json.MAPPER.readTree(json("added-word"));
    ArrayNode added = root.withArray("added_tokens");
    ObjectNode word = (ObjectNode) added.remove(3);
    added.add(word.deepCopy().put("content", "<|new|>").put("special", true));
    added.add(word.put("id", word.get("id").asInt() + 1));
    Tokenizer words = new Tokenizer(root.toString());
    int[] tokens = words.encodeText("a <|new|> waterproof coat");
    assertThat(list(tokens)).contains(words.id("waterproof")).doesNotContain(words.id("<|new|>"));
    assertThat(words.decode(tokens)).isEqualTo("a <|new|> waterproof coat");
  }

  @Test
  void whatContinuesATextDoesNotBeginLikeOne() throws IOException {
    Tokenizer first = tokenizer("metaspace-first");
    int[] whole = first.encode("[INST] buy coat [/INST]</s>[INST] red [/INST]");
    int end = list(whole).indexOf(first.id("</s>"));
    assertThat(first.encodeBehind(List.of(new Span("[INST] red [/INST]", true))))
        .isEqualTo(Arrays.copyOfRange(whole, end + 1, whole.length));
    // Also where the text has a mark that is not meant.
    int[] marked =
        first.encode(
            List.of(new Span("a</s>", true), new Span("</s> red", false), new Span("</s>", true)));
    int[] behind = first.encodeBehind(List.of(new Span("</s> red", false), new Span("</s>", true)));
    assertThat(behind)
        .isEqualTo(Arrays.copyOfRange(marked, marked.length - behind.length, marked.length));
    assertThat(first.decode(behind)).isEqualTo("</s> red</s>");
  }

  @Test
  void aTokenizerWithoutMarksContinuesATextAsItBeginsOne() throws IOException {
    ObjectNode root = (ObjectNode) Json.MAPPER.readTree(json("added-word"));
    root.putArray("added_tokens");
    root.putNull("post_processor");
    Tokenizer none = new Tokenizer(root.toString());
    assertThat(none.encodeBehind(List.of(new Span("a coat", false))))
        .isEqualTo(none.encode("a coat"));
  }
}
