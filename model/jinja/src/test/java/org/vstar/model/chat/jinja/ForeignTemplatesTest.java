package org.vstar.model.chat.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.vstar.common.Json;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.chat.Message;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.checkpoint.TokenizerFiles;
import org.vstar.model.tokenizer.Tokenizer;

/** Templates and tokenizers as other programs write them. */
@EnabledIf(value = "org.vstar.model.chat.jinja.Npm#fetched", disabledReason = "npm is missing")
class ForeignTemplatesTest {

  private static final Path CASES = Path.of("../../../shared/cases");

  private static Path of(String name) {
    assumeTrue(Files.isDirectory(CASES), "no cases to try");
    return CASES.resolve(name);
  }

  private static HuggingFaceChat chat(Path folder) {
    return new HuggingFaceChat(
        TokenizerFiles.config(folder),
        Json.MAPPER.createObjectNode(),
        null,
        HuggingFaceModel.endTokens(folder));
  }

  private static List<Message> messages(Path folder) throws IOException {
    List<Message> messages = new ArrayList<>();
    for (JsonNode one : Json.MAPPER.readTree(folder.resolve("messages.json").toFile())) {
      messages.add(new Message((ObjectNode) one));
    }
    return messages;
  }

  @Test
  void aTemplateInAFileOfItsOwnIsTheTemplate() throws IOException {
    Path folder = of("chat-template-file");
    String rendered = chat(folder).render(messages(folder), false);
    assertThat(rendered).contains("buy coat").contains("red");
    String config = Files.readString(folder.resolve("tokenizer_config.json"));
    assertThat(Json.MAPPER.readTree(TokenizerFiles.config(folder)).path("chat_template").asText())
        .isEqualTo(Files.readString(folder.resolve("chat_template.jinja")))
        .isNotEqualTo(Json.MAPPER.readTree(config).path("chat_template").asText(null));
  }

  @Test
  void aLaterObservationIsWrittenAsInTheWholeChat() throws IOException {
    Path folder = of("metaspace-first");
    Tokenizer tokenizer = TokenizerFiles.tokenizer(folder);
    HuggingFaceChat chat = chat(folder);
    int[] whole = tokenizer.encode(chat.spans(tokenizer, messages(folder), false));
    int end = Arrays.stream(whole).boxed().toList().indexOf(tokenizer.id("</s>"));
    assertThat(chat.observation(tokenizer, "red", false))
        .isEqualTo(Arrays.copyOfRange(whole, end + 1, whole.length));
  }

  @Test
  void addedWordsOfAChatAreThoseOfItsText() throws IOException {
    for (String name : List.of("added-word", "added-single-word")) {
      Path folder = of(name);
      Tokenizer tokenizer = TokenizerFiles.tokenizer(folder);
      HuggingFaceChat chat = chat(folder);
      List<Message> messages = messages(folder);
      assertThat(tokenizer.encode(chat.spans(tokenizer, messages, true)))
          .isEqualTo(tokenizer.encode(chat.render(messages, true)));
    }
  }

  @Test
  void everyEndTokenEndsAnAnswer() {
    for (String name : List.of("eos-list", "eos-generation-config")) {
      Path folder = of(name);
      assertThat(chat(folder).stopTokens(TokenizerFiles.tokenizer(folder))).contains(2, 396);
    }
  }

  @Test
  void aTemplateIsGivenAllOfTheTokenizersSpecialTokens() {
    ObjectNode config = Json.MAPPER.createObjectNode();
    config.put(
        "chat_template", "{{ additional_special_tokens[1] }} {{ cls_token }} {{ sep_token }}");
    config.putArray("additional_special_tokens").add("<a>").addObject().put("content", "<b>");
    config.put("cls_token", "<c>").putObject("sep_token").put("content", "<d>");
    assertThat(
            new HuggingFaceChat(config.toString(), Json.MAPPER.createObjectNode(), null)
                .render(List.of(Message.of(Message.USER, "x")), true))
        .isEqualTo("<b> <c> <d>");
  }
}
