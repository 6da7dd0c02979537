package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.policy.Policy;

class StoredPolicyTest {

  private static final LoraConfig LORA = new LoraConfig(4, 8, List.of("q_proj", "gate_proj"));

  private final Policy reference = SmallShop.policy(SmallShop.environment(), 1);

  @TempDir Path root;

  /** An adapter that changes something. */
  private record Drawn(LoraConfig lora, Policy policy) implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return lora.tensors(policy.engine().config());
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      SplittableRandom random = new SplittableRandom(tensors().indexOf(tensor));
      for (int i = offset; i < offset + tensor.size(); i++) {
        into[i] = (float) random.nextDouble(-0.1, 0.1);
      }
    }
  }

  private Policy adapted() {
    return reference.adapted(new Adapter(LORA, new Drawn(LORA, reference)));
  }

  private FolderStore written() throws IOException {
    FolderStore store = new FolderStore(root);
    PolicyFiles.write(reference, store, "reference");
    PolicyFiles.write(adapted(), store, "trained");
    return store;
  }

  private static StoredPolicy travelled(StoredPolicy policy) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(policy);
    }
    assertThat(bytes.size()).as("names, not weights").isLessThan(2000);
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (StoredPolicy) in.readObject();
    }
  }

  @Test
  void itTravelsAsNamesAndOpensOnceWhereItArrives() throws Exception {
    FolderStore store = written();
    StoredPolicy whole =
        StoredPolicy.of(store, "reference", VectorEngine.KIND, EngineOptions.ONE_THREAD);
    whole.open();
    StoredPolicy there = travelled(whole);
    assertThat(there.open().fingerprint()).isEqualTo(reference.fingerprint());
    assertThat(there.open()).isSameAs(there.open());
    StoredPolicy trained =
        travelled(
            StoredPolicy.trained(
                store, "trained", "reference", VectorEngine.KIND, EngineOptions.ONE_THREAD));
    assertThat(trained.open().fingerprint()).isEqualTo(adapted().fingerprint());
  }

  @Test
  void anAdapterIsWrittenAsPeftWritesIt() throws IOException {
    written();
    Path folder = root.resolve("trained");
    JsonNode config = Json.MAPPER.readTree(folder.resolve("adapter_config.json").toFile());
    assertThat(config.path("peft_type").asText()).isEqualTo("LORA");
    assertThat(config.path("r").asInt()).isEqualTo(4);
    assertThat(config.path("lora_alpha").asDouble()).isEqualTo(8);
    assertThat(config.path("target_modules").toString()).isEqualTo("[\"q_proj\",\"gate_proj\"]");
    Safetensors tensors = Safetensors.open(folder.resolve("adapter_model.safetensors"));
    assertThat(tensors.tensors())
        .contains(
            new TensorSource.Tensor(
                "base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight", 4, 32),
            new TensorSource.Tensor(
                "base_model.model.model.layers.0.mlp.gate_proj.lora_B.weight", 32, 4))
        .hasSize(8);
    assertThat(folder.resolve("model.safetensors")).doesNotExist();
  }

  @Test
  void anAdapterOfAnotherReferenceOrWithOtherSettingsIsRefused() throws IOException {
    FolderStore store = written();
    Policy other = SmallShop.policy(SmallShop.environment(), 2);
    assertThatThrownBy(
            () -> PolicyFiles.readTrained(store, "trained", other, EngineOptions.ONE_THREAD))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("is an adapter of weights with fingerprint");
    Path config = root.resolve("trained/adapter_config.json");
    String text = Files.readString(config);
    for (String change :
        List.of(
            "{\"use_dora\": true}",
            "{\"bias\": \"all\"}",
            "{\"peft_type\": \"IA3\"}",
            "{\"rank_pattern\": {\"q_proj\": 2}}",
            "{\"target_modules\": [\"lm_head\"]}",
            "{\"something_new\": 3}",
            "{\"r\": \"4\"}")) {
      ObjectNode changed = (ObjectNode) Json.MAPPER.readTree(text);
      JsonNode by = Json.MAPPER.readTree(change);
      changed.setAll((ObjectNode) by);
      Files.writeString(config, changed.toString());
      assertThatThrownBy(() -> PeftAdapter.read(root.resolve("trained")))
          .as(change)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("adapter_config.json")
          .message()
          .doesNotContain("\n");
    }
    Files.delete(config);
    assertThatThrownBy(() -> PeftAdapter.read(root.resolve("trained")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("adapter_config.json is missing");
  }
}
