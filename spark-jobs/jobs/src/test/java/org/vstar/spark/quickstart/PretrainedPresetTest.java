package org.vstar.spark.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.HuggingFaceSource;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;

/** The preset of a pretrained model, which this project does not have. */
class PretrainedPresetTest {

  @TempDir Path folder;

  private static RunConfig preset(String name) {
    return JobContext.read("../../conf/" + name + ".yaml", Map.of());
  }

  @Test
  void aModelThatIsMissingIsToldWithTheCommandsThatGetIt() {
    HuggingFaceSource source = preset("webshop-lite-smollm2").policy().huggingFace();
    String model = source.model().substring("../".length());
    assertThatThrownBy(() -> source.requireThere(folder.resolve("none")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll(
            "huggingFace.model", "none does not exist", "pip install", "submit/policy import")
        .message()
        .endsWith("--out " + model)
        .doesNotContain("\n");
    assertThatCode(() -> source.requireThere(folder)).doesNotThrowAnyException();
  }

  @Test
  void aQuickstartTrainsWithThoseObjectivesThatTheConfigHas() {
    assertThat(QuickstartJob.objectives(preset("webshop-lite-smollm2")))
        .containsExactly("regression");
    assertThat(QuickstartJob.objectives(preset("webshop-lite")))
        .containsExactly("regression", "policy-gradient");
  }
}
