package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.ContentHash;
import org.vstar.common.FolderStore;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.policy.Policy;

class PolicyFilesTest {

  private final Policy policy = SmallShop.policy(SmallShop.environment(), 1);

  @TempDir Path root;

  private Path folder() {
    return root.resolve("policy");
  }

  private void save() throws IOException {
    PolicyFiles.write(policy, new FolderStore(root), "policy");
  }

  private Policy load() {
    return PolicyFiles.read(
        new FolderStore(root), "policy", VectorEngine.KIND, EngineOptions.ONE_THREAD);
  }

  @Test
  void whatIsSavedLoadsAsTheSamePolicy() throws IOException {
    save();
    Policy loaded = load();
    assertThat(loaded.fingerprint()).isEqualTo(policy.fingerprint());
    assertThat(SmallShop.weights(loaded)).isEqualTo(SmallShop.weights(policy));
    assertThat(loaded.engine().config()).isEqualTo(policy.engine().config());
  }

  @Test
  void weightsAreASafetensorsFile() throws IOException {
    save();
    ByteBuffer bytes =
        ByteBuffer.wrap(Files.readAllBytes(folder().resolve("model.safetensors")))
            .order(ByteOrder.LITTLE_ENDIAN);
    byte[] header = new byte[(int) bytes.getLong()];
    bytes.get(header);
    var entry = Json.MAPPER.readTree(header).path("model.layers.0.self_attn.k_proj.weight");
    assertThat(entry.path("dtype").asText()).isEqualTo("F32");
    assertThat(entry.path("shape").toString()).isEqualTo("[16,32]");
    long from = entry.path("data_offsets").path(0).asLong();
    assertThat(entry.path("data_offsets").path(1).asLong() - from).isEqualTo(4 * 16 * 32);
    float[] values = new float[16 * 32];
    WeightSource weights = policy.engine().weights();
    weights.read(new Tensor("model.layers.0.self_attn.k_proj.weight", 16, 32), values, 0);
    for (int i = 0; i < values.length; i++) {
      assertThat(bytes.getFloat((int) (8 + header.length + from) + 4 * i)).isEqualTo(values[i]);
    }
  }

  @Test
  void aTruncatedOrForeignWeightsFileIsNamed() throws IOException {
    save();
    Path weights = folder().resolve("model.safetensors");
    for (long keep : new long[] {Files.size(weights) - 100, 500, 3}) {
      try (FileChannel file = FileChannel.open(weights, StandardOpenOption.WRITE)) {
        file.truncate(keep);
      }
      assertThatThrownBy(() -> load())
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("model.safetensors")
          .hasMessageContaining("cut short");
    }
    Files.write(weights, new byte[4000]);
    assertThatThrownBy(() -> load())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("model.safetensors was cut short or changed");
  }

  @Test
  void oneFlippedBitInAnyFileIsNoticed() throws IOException {
    save();
    for (String name :
        List.of(
            "model.safetensors",
            "tokenizer.json",
            "config.json",
            "tokenizer_config.json",
            "vstar.json")) {
      Path file = folder().resolve(name);
      byte[] whole = Files.readAllBytes(file);
      for (int at = 7; at < whole.length; at += whole.length / 20) {
        byte[] flipped = whole.clone();
        flipped[at] ^= 4;
        Files.write(file, flipped);
        assertThatThrownBy(() -> load())
            .as("%s, byte %d", name, at)
            .isInstanceOf(InvalidInputException.class)
            .hasMessageContaining(name)
            .message()
            .doesNotContain("\n");
      }
      Files.write(file, whole);
    }
    load();
  }

  @Test
  void aMissingFileIsNamed() throws IOException {
    save();
    Files.delete(folder().resolve("tokenizer.json"));
    assertThatThrownBy(() -> load())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("tokenizer.json is missing");
  }

  @Test
  void aShapeThatTheWeightsDoNotHaveIsRefusedBeforeMemoryIsTakenForIt() throws IOException {
    for (String change :
        List.of(
            "\"intermediate_size\" : 64",
            "\"hidden_size\" : 1000000",
            "\"num_hidden_layers\" : 999")) {
      save();
      Path config = folder().resolve("config.json");
      String key = change.substring(0, change.indexOf(':') + 1);
      String text = Files.readString(config);
      Files.writeString(config, text.replaceAll(key + " \\d+", change));
      seal();
      assertThatThrownBy(() -> load())
          .as(change)
          .isInstanceOf(InvalidInputException.class)
          .message()
          .containsAnyOf("weights have", "more parameters than fit");
    }
  }

  /** Makes the hashes fit, as somebody could on purpose. */
  private void seal() throws IOException {
    Path seal = folder().resolve("vstar.json");
    ObjectNode tree = (ObjectNode) Json.MAPPER.readTree(seal.toFile());
    tree.remove("contentHash");
    ObjectNode files = (ObjectNode) tree.get("files");
    for (String name : List.copyOf(files.properties().stream().map(Map.Entry::getKey).toList())) {
      try (InputStream in = Files.newInputStream(folder().resolve(name))) {
        files.put(name, new ContentHash().add(in).hex());
      }
    }
    tree.put("contentHash", new ContentHash().add(tree.toString()).hex());
    Files.writeString(seal, tree.toString());
  }

  @Test
  void nullAndTextInPlaceOfASealAreOneLine() throws IOException {
    save();
    Path seal = folder().resolve("vstar.json");
    for (String text : List.of("null", "[]", "7", "", "{\"version\": 4}", "{{")) {
      Files.writeString(seal, text);
      assertThatThrownBy(() -> load())
          .as(text)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("vstar.json")
          .message()
          .doesNotContain("\n");
    }
  }

  @Test
  void aPolicyOfAnOlderFormatIsThereAndRefusedWithWhatToDo() throws IOException {
    save();
    Files.delete(folder().resolve("vstar.json"));
    assertThat(PolicyFiles.exist(new FolderStore(root), "policy")).isFalse();
    for (String former : List.of("{\"chat\": \"episode-marks/1\"}", "{\"version\": 3}")) {
      Files.writeString(folder().resolve("config.json"), former);
      assertThat(PolicyFiles.exist(new FolderStore(root), "policy")).isTrue();
      assertThatThrownBy(this::load)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("this Vstar reads format 4: make the policy again");
    }
  }
}
