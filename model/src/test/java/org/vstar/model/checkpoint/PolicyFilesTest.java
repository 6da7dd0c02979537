package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.ContentHash;
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
    Files.write(weights, new byte[4000]);
    assertThatThrownBy(() -> load())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("model.safetensors was cut short or changed");
  }

  @Test
  void oneFlippedBitInAnyFileIsNoticed() throws IOException {
    save();
    for (String name : List.of("model.safetensors", "tokenizer.json", "config.json")) {
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
        List.of("\"feedForward\" : 64", "\"width\" : 1000000", "\"layers\" : 999")) {
      save();
      Path config = folder().resolve("config.json");
      String key = change.substring(0, change.indexOf(':') + 1);
      String text = Files.readString(config).replaceAll(key + " \\d+", change);
      Files.writeString(config, sealed(text));
      assertThatThrownBy(() -> load())
          .as(change)
          .isInstanceOf(InvalidInputException.class)
          .message()
          .containsAnyOf("weights have", "more parameters than fit");
    }
  }

  /** A config with the hash of its own content, as somebody could write it on purpose. */
  private static String sealed(String config) throws IOException {
    ObjectNode tree = (ObjectNode) Json.MAPPER.readTree(config);
    tree.remove("contentHash");
    return tree.put("contentHash", new ContentHash().add(tree.toString()).hex()).toString();
  }

  @Test
  void nullAndTextInPlaceOfAConfigAreOneLine() throws IOException {
    save();
    Path config = folder().resolve("config.json");
    for (String text : List.of("null", "[]", "7", "", "{\"version\": 3}", "{{")) {
      Files.writeString(config, text);
      assertThatThrownBy(() -> load())
          .as(text)
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("config.json")
          .message()
          .doesNotContain("\n");
    }
  }

  @Test
  void aPolicyOfAnOlderFormatIsRefusedWithWhatToDo() throws IOException {
    save();
    Path config = folder().resolve("config.json");
    Files.writeString(config, Files.readString(config).replaceAll("\"version\" : 3,", ""));
    assertThatThrownBy(this::load)
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(
            "written by Vstar 0.1 in format 1, this Vstar reads format 3: make the policy again");
  }

  @Test
  void aPolicyIsThereOnlyWhenItsConfigIs() throws IOException {
    save();
    assertThat(PolicyFiles.exist(new FolderStore(root), "policy")).isTrue();
    Files.delete(folder().resolve("config.json"));
    assertThat(PolicyFiles.exist(new FolderStore(root), "policy")).isFalse();
  }
}
