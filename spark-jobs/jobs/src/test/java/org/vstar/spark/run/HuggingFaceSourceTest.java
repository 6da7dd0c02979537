package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.env.Environment;
import org.vstar.spark.TestRun;

class HuggingFaceSourceTest {

  @TempDir private Path folder;

  private String system(String own, String config) throws IOException {
    Files.writeString(
        folder.resolve("tokenizer_config.json"), "{\"chat_template\": \"{{ messages }}\"}");
    Path file = Path.of("../../conf", config);
    Environment environment =
        JobContext.read(file.toString(), Map.of())
            .environment()
            .open(file.toAbsolutePath().getParent(), 7)
            .environment();
    return new HuggingFaceSource(null, null, folder.toString(), own, Map.of())
        .chat(folder, null, environment)
        .system();
  }

  @Test
  void theConfigsSystemMessageGoesBeforeTheEnvironmentsAndAShopHasNone() throws IOException {
    assertThat(system("Play.", "frozenlake.yaml")).isEqualTo("Play.");
    assertThat(system(null, "frozenlake.yaml")).contains("You are solving the FrozenLake puzzle.");
    assertThat(system(null, TestRun.CONFIG.getFileName().toString())).isNull();
  }
}
