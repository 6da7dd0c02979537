package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.vector.ParameterLayout;
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
    var entry = Json.MAPPER.readTree(header).path("layers.0.qkv");
    assertThat(entry.path("dtype").asText()).isEqualTo("F32");
    assertThat(entry.path("shape").toString()).isEqualTo("[32,64]");
    long from = entry.path("data_offsets").path(0).asLong();
    assertThat(entry.path("data_offsets").path(1).asLong() - from).isEqualTo(4 * 32 * 64);
    float[] weights = SmallShop.weights(policy);
    int norms = SmallShop.SHAPE.width();
    int offset =
        ParameterLayout.padded(policy.engine().vocabulary()) * SmallShop.SHAPE.width() + norms;
    for (int i = 0; i < 32 * 64; i++) {
      assertThat(bytes.getFloat((int) (8 + header.length + from) + 4 * i))
          .isEqualTo(weights[offset + i]);
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
    byte[] noise = new byte[4000];
    Arrays.fill(noise, (byte) 7);
    Files.write(weights, noise);
    assertThatThrownBy(() -> load())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("not a safetensors file");
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
  void weightsOfAnotherShapeAreRefusedByTensor() throws IOException {
    save();
    Path config = folder().resolve("config.json");
    Files.writeString(
        config,
        Files.readString(config).replaceAll("\"feedForward\" : 32", "\"feedForward\" : 64"));
    assertThatThrownBy(() -> load())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("tensor 'layers.0.gate_up'");
  }

  @Test
  void aPolicyOfAnOlderFormatIsRefusedWithWhatToDo() throws IOException {
    save();
    Path config = folder().resolve("config.json");
    Files.writeString(config, Files.readString(config).replaceAll("\"version\" : 2,", ""));
    assertThatThrownBy(this::load)
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(
            "written by Vstar 0.1 in format 1, this Vstar reads format 2: make the policy again");
  }

  @Test
  void aPolicyIsThereOnlyWhenItsConfigIs() throws IOException {
    save();
    assertThat(PolicyFiles.exist(new FolderStore(root), "policy")).isTrue();
    Files.delete(folder().resolve("config.json"));
    assertThat(PolicyFiles.exist(new FolderStore(root), "policy")).isFalse();
  }
}
