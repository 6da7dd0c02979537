package org.vstar.spark.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {

  @Test
  void thePageOfAllKeysSaysWhatTheRecordsSay() throws IOException {
    Path project = Path.of("../..");
    assertThat(project.resolve(ConfigReference.PAGE))
        .as("submit/docs --config-page makes it again")
        .hasContent(ConfigReference.page(project));
  }
}
