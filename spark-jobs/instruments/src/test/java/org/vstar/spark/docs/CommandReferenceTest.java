package org.vstar.spark.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CommandReferenceTest {

  @Test
  void thePageAndTheTextsOfHelpAreWhatTheCommandsSayOfThemselves() throws IOException {
    Path project = Path.of("../..");
    Docs.help()
        .forEach(
            (name, text) ->
                assertThat(project.resolve(CommandReference.HELP).resolve(name + ".txt"))
                    .as("submit/docs --commands writes it")
                    .hasContent(text));
    assertThat(project.resolve(CommandReference.PAGE))
        .as("submit/docs --commands writes it")
        .hasContent(CommandReference.page(project, Docs.help()));
  }
}
