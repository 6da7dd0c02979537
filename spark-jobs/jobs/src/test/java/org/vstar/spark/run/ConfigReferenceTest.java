package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {

  private static final Path PAGE = Path.of("../src/site/markdown/config.md");

  @Test
  void thePageOfAllKeysSaysWhatTheRecordsSay() throws IOException {
    String page = ConfigReference.page();
    if ("write".equals(System.getProperty("config.reference"))) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE))
        .as("mvn test -Dtest=ConfigReferenceTest -Dconfig.reference=write makes it again")
        .isEqualTo(page);
  }
}
