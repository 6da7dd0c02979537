package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RemoteConfigTest {

  private static final String MODEL = "huggingFace.model";

  @TempDir private Path folder;
  private Path config;

  @BeforeEach
  void write() throws IOException {
    config = Files.writeString(folder.resolve("c.yaml"), "huggingFace:\n  model: ./large\n");
    Files.write(Files.createDirectory(folder.resolve("large")).resolve("a.bin"), new byte[1000]);
    Files.write(Files.createDirectory(folder.resolve("other")).resolve("b.bin"), new byte[1000]);
  }

  private static Path copied(RemoteConfig.Copy copy, Path file) {
    return copy.root().resolve(file.toString().substring(1));
  }

  @Test
  void whatAConfigNamesGoesAlongIfItIsNotTooLarge() {
    RemoteConfig.Copy copy = RemoteConfig.copy(config, Map.of(), Set.of(), 2000);
    assertThat(copy.config()).hasFileName("c.yaml");
    assertThat(copied(copy, folder.resolve("large/a.bin"))).exists();
    assertThatThrownBy(() -> RemoteConfig.copy(config, Map.of(), Set.of(), 1000))
        .hasMessageContaining("too large to go along with a job")
        .hasMessageContaining("a.bin");
  }

  @Test
  void filesOfKeysThatAJobDoesNotReadStayHereInTheFileAndOnTheCommandLine() {
    RemoteConfig.Copy copy =
        RemoteConfig.copy(config, Map.of(MODEL, "./other"), Set.of(MODEL), 1000);
    assertThat(copied(copy, folder.resolve("large/a.bin"))).doesNotExist();
    assertThat(copied(copy, folder.resolve("other/b.bin"))).doesNotExist();
    RemoteConfig.Copy all = RemoteConfig.copy(config, Map.of(MODEL, "./other"), Set.of(), 3000);
    assertThat(copied(all, folder.resolve("other/b.bin"))).exists();
  }
}
