package org.vstar.model.chat.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.RunStore;
import org.vstar.env.AnswerFormat;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;

/** A policy with a chat template of Hugging Face's, as files. */
@EnabledIf(value = "org.vstar.model.chat.jinja.Npm#fetched", disabledReason = "npm is missing")
class HuggingFacePolicyTest {

  private static final ModelConfig SHAPE = new ModelConfig(1, 16, 2, 1, 16, 128, 500, 1e-5, false);

  private static final String TEMPLATE =
      "{% for m in messages %}{{ '<|im_start|>' + m.role + ' ' + m.content + '<|im_end|> ' }}"
          + "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant ' }}"
          + "{% if brief %}{{ 'brief ' }}{% endif %}{% endif %}";

  @TempDir Path folder;

  private static HuggingFaceChat chat(Map<String, Object> arguments, String system) {
    String config =
        Json.MAPPER
            .createObjectNode()
            .put("chat_template", TEMPLATE)
            .put("eos_token", "<|im_end|>")
            .toString();
    return new HuggingFaceChat(config, Json.MAPPER.valueToTree(arguments), system);
  }

  private static Policy policy(HuggingFaceChat chat) {
    Tokenizer tokenizer =
        new Tokenizer(
            WordVocabulary.build(
                List.of("system user assistant buy a red coat brief …"),
                AnswerFormat.ANSWER,
                List.of("<|im_start|>", "<|im_end|>")));
    float[] weights = new Initialization(0.2, 0.2, false).draw(SHAPE, tokenizer.size(), 5);
    return new Policy(
        EngineKind.of(VectorEngine.KIND)
            .open(new FlatWeights(SHAPE, tokenizer.size(), weights), EngineOptions.ONE_THREAD),
        tokenizer,
        chat);
  }

  private static Policy read(RunStore store, String name) {
    return StoredPolicy.of(store, name, VectorEngine.KIND, EngineOptions.ONE_THREAD).open();
  }

  @Test
  void whatIsReadBackWritesEpisodesAsBefore() throws IOException {
    RunStore store = new FolderStore(folder);
    Policy written = policy(chat(Map.of("brief", true), "buy a coat"));
    PolicyFiles.write(written, store, "reference");
    Policy read = read(store, "reference");
    assertThat(read.fingerprint()).isEqualTo(written.fingerprint());
    for (boolean first : new boolean[] {true, false}) {
      int[] observation = written.chat().observation(written.tokenizer(), "a red coat", first);
      assertThat(read.chat().observation(read.tokenizer(), "a red coat", first))
          .isEqualTo(observation);
      assertThat(read.tokenizer().decode(observation)).contains("brief");
    }
  }

  @Test
  void templatesWithOtherArgumentsOrAnotherSystemAreOtherPolicies() {
    String one = policy(chat(Map.of(), null)).fingerprint();
    assertThat(policy(chat(Map.of("brief", true), null)).fingerprint()).isNotEqualTo(one);
    assertThat(policy(chat(Map.of(), "buy")).fingerprint()).isNotEqualTo(one);
  }

  @Test
  void aModelOfHuggingFacesIsTakenAsItIs() throws IOException {
    RunStore store = new FolderStore(folder);
    Policy written = policy(chat(Map.of(), null));
    PolicyFiles.write(written, store, "theirs");
    Path theirs = store.local("theirs");
    HuggingFaceChat chat = chat(Map.of("brief", true), "buy");
    PolicyFiles.copy(theirs, written.tokenizer(), chat, store, "reference");
    Policy read = read(store, "reference");
    assertThat(read.engine().fingerprint()).isEqualTo(written.engine().fingerprint());
    assertThat(read.chat().name()).isEqualTo(chat.name());
    String weights = "model.safetensors";
    assertThat(store.local("reference").resolve(weights))
        .hasSameBinaryContentAs(theirs.resolve(weights));
  }

  @Test
  void aChangedTemplateIsRefused() throws IOException {
    RunStore store = new FolderStore(folder);
    PolicyFiles.write(policy(chat(Map.of(), "buy")), store, "reference");
    Path config = store.local("reference").resolve("tokenizer_config.json");
    Files.writeString(config, Files.readString(config).replace("brief", "short"));
    assertThatThrownBy(() -> read(store, "reference"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("tokenizer_config.json")
        .hasMessageContaining("changed");
  }
}
