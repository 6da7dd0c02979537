package org.vstar.model.chat.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIf;
import org.vstar.common.Json;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.chat.Message;
import org.vstar.model.checkpoint.TokenizerFiles;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * Real tokenizers and chat templates against what Hugging Face's libraries give. {@code
 * -Dtokenizers=DIR} names a folder of them: each has {@code cases.json} beside its files.
 */
@EnabledIf(value = "org.vstar.model.chat.jinja.Npm#fetched", disabledReason = "npm is missing")
class ChatCasesTest {

  private static final Path DEFAULT = Path.of("../../../shared/tokenizers");

  private static List<Path> folders() throws IOException {
    String named = System.getProperty("tokenizers");
    Path folder = named == null ? DEFAULT : Path.of(named);
    assumeTrue(named != null || Files.isDirectory(folder), "no tokenizers to compare with");
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(f -> Files.exists(f.resolve("cases.json"))).sorted().toList();
    }
  }

  @TestFactory
  Stream<DynamicTest> textAndTokensAreHuggingFaces() throws IOException {
    List<Path> folders = folders();
    assertThat(folders).isNotEmpty();
    return folders.stream()
        .map(folder -> dynamicTest(folder.getFileName().toString(), () -> compare(folder)));
  }

  /** Compares what a folder of a tokenizer has with what is expected there. */
  static void compare(Path folder) throws IOException {
    JsonNode cases = Json.MAPPER.readTree(folder.resolve("cases.json").toFile());
    Tokenizer tokenizer = tokenizer(folder);
    String config = TokenizerFiles.config(folder);
    for (JsonNode one : cases.path("encode")) {
      if (tokenizer != null) {
        assertThat(tokenizer.encode(one.path("text").asText()))
            .as(one.path("text").asText())
            .isEqualTo(ids(one));
      }
    }
    for (JsonNode one : cases.path("chat")) {
      compareChat(one, config, tokenizer);
    }
  }

  private static void compareChat(JsonNode one, String config, Tokenizer tokenizer) {
    JsonNode arguments =
        one.path("kwargs").isObject() ? one.path("kwargs") : Json.MAPPER.createObjectNode();
    HuggingFaceChat chat = new HuggingFaceChat(config, arguments, null);
    List<Message> messages =
        StreamSupport.stream(one.path("messages").spliterator(), false)
            .map(m -> new Message((ObjectNode) m))
            .toList();
    boolean prompt = one.path("add_generation_prompt").asBoolean();
    assertThat(chat.render(messages, prompt)).isEqualTo(one.path("text").asText());
    if (tokenizer != null && one.has("ids")) {
      int[] tokens = tokenizer.encode(chat.spans(tokenizer, messages, prompt));
      boolean marked =
          messages.stream().anyMatch(m -> tokenizer.marks().matcher(m.content()).find());
      if (!marked) {
        assertThat(tokens).isEqualTo(ids(one));
      }
      assertThat(tokenizer.decode(tokens)).isEqualTo(tokenizer.decode(ids(one)));
    }
  }

  /** The tokenizer, if its file is there. */
  private static Tokenizer tokenizer(Path folder) {
    boolean there =
        Stream.of("tokenizer.json", "tokenizer.json.gz")
            .anyMatch(name -> Files.exists(folder.resolve(name)));
    return there ? TokenizerFiles.tokenizer(folder) : null;
  }

  private static int[] ids(JsonNode one) {
    List<Integer> ids = new ArrayList<>();
    one.path("ids").forEach(id -> ids.add(id.asInt()));
    return ids.stream().mapToInt(Integer::intValue).toArray();
  }
}
