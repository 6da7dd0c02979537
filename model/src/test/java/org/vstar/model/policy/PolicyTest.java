package org.vstar.model.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.env.InputError;
import org.vstar.model.SmallShop;

class PolicyTest {

  private final Policy policy = SmallShop.policy(SmallShop.environment(), 1);

  @TempDir Path folder;

  @Test
  void whatIsSavedLoadsAsTheSamePolicy() throws IOException {
    policy.save(folder);
    Policy loaded = Policy.load(folder);
    assertThat(loaded.fingerprint()).isEqualTo(policy.fingerprint());
    assertThat(loaded.transformer().weights()).isEqualTo(policy.transformer().weights());
    assertThat(loaded.transformer().config()).isEqualTo(policy.transformer().config());
  }

  @Test
  void fingerprintChangesWithASingleWeight() {
    Policy copy = policy.copy();
    assertThat(copy.fingerprint()).isEqualTo(policy.fingerprint());
    copy.transformer().weights()[77] += 1e-6f;
    assertThat(copy.fingerprint()).isNotEqualTo(policy.fingerprint());
  }

  @Test
  void travelsByJavaSerialization() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(policy);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(((Policy) in.readObject()).fingerprint()).isEqualTo(policy.fingerprint());
    }
  }

  @Test
  void weightsAreASafetensorsFile() throws IOException {
    policy.save(folder);
    ByteBuffer bytes =
        ByteBuffer.wrap(Files.readAllBytes(folder.resolve("model.safetensors")))
            .order(ByteOrder.LITTLE_ENDIAN);
    byte[] header = new byte[(int) bytes.getLong()];
    bytes.get(header);
    var entry = new ObjectMapper().readTree(header).path("layers.0.qkv");
    assertThat(entry.path("dtype").asText()).isEqualTo("F32");
    assertThat(entry.path("shape").toString()).isEqualTo("[32,64]");
    long from = entry.path("data_offsets").path(0).asLong();
    assertThat(entry.path("data_offsets").path(1).asLong() - from).isEqualTo(4 * 32 * 64);
    int norms = SmallShop.SHAPE.width();
    int offset = policy.transformer().vocabulary() * SmallShop.SHAPE.width() + norms;
    for (int i = 0; i < 32 * 64; i++) {
      assertThat(bytes.getFloat((int) (8 + header.length + from) + 4 * i))
          .isEqualTo(policy.transformer().weights()[offset + i]);
    }
  }

  @Test
  void aTruncatedOrForeignWeightsFileIsNamed() throws IOException {
    policy.save(folder);
    Path weights = folder.resolve("model.safetensors");
    for (long keep : new long[] {Files.size(weights) - 100, 500, 3}) {
      try (FileChannel file = FileChannel.open(weights, StandardOpenOption.WRITE)) {
        file.truncate(keep);
      }
      assertThatThrownBy(() -> Policy.load(folder))
          .isInstanceOf(InputError.class)
          .hasMessageContaining("model.safetensors")
          .hasMessageContaining("cut short");
    }
    byte[] noise = new byte[4000];
    Arrays.fill(noise, (byte) 7);
    Files.write(weights, noise);
    assertThatThrownBy(() -> Policy.load(folder))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("not a safetensors file");
  }

  @Test
  void aMissingFileIsNamed() throws IOException {
    policy.save(folder);
    Files.delete(folder.resolve("tokenizer.json"));
    assertThatThrownBy(() -> Policy.load(folder))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("tokenizer.json is missing");
  }

  @Test
  void weightsOfAnotherShapeAreRefusedByTensor() throws IOException {
    policy.save(folder);
    Path config = folder.resolve("config.json");
    Files.writeString(
        config,
        Files.readString(config).replaceAll("\"feedForward\" : 32", "\"feedForward\" : 64"));
    assertThatThrownBy(() -> Policy.load(folder))
        .isInstanceOf(InputError.class)
        .hasMessageContaining("tensor 'layers.0.gate_up'");
  }
}
