package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;
import org.vstar.common.InvalidInputException;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.policy.Policy;

class PolicyExportTest {

  private final Policy policy = SmallShop.policy(SmallShop.environment(), 1);

  @TempDir Path root;

  @BeforeEach
  void save() throws IOException {
    PolicyFiles.write(policy, new FolderStore(root), "policy");
  }

  private void export(DType type) {
    PolicyExport.write(
        root.resolve("policy"), Optional.empty(), Optional.ofNullable(type), root.resolve("out"));
  }

  private Policy exported() {
    return PolicyFiles.read(
        new FolderStore(root), "out", VectorEngine.KIND, EngineOptions.ONE_THREAD);
  }

  @Test
  void aPolicyInBfloat16IsHalfAsBigAndHasTheNearestWeights() throws IOException {
    export(DType.BFLOAT16);
    HuggingFaceModel before = HuggingFaceModel.open(root.resolve("policy"));
    HuggingFaceModel after = HuggingFaceModel.open(root.resolve("out"));
    assertThat(after.description().type()).isEqualTo(DType.BFLOAT16);
    assertThat(Files.size(root.resolve("out/model.safetensors")))
        .isLessThan(Files.size(root.resolve("policy/model.safetensors")) * 11 / 20);
    for (Tensor tensor : before.tensors()) {
      float[] was = new float[tensor.size()];
      float[] is = new float[tensor.size()];
      before.read(tensor, was, 0);
      after.read(tensor, is, 0);
      ByteBuffer rounded = ByteBuffer.allocate(2 * was.length).order(ByteOrder.LITTLE_ENDIAN);
      DType.BFLOAT16.write(was, 0, was.length, rounded);
      DType.BFLOAT16.read(rounded.flip(), was, 0, was.length);
      assertThat(is).as(tensor.toString()).isEqualTo(was);
    }
    Policy read = exported();
    assertThat(read.tokenizer().json()).isEqualTo(policy.tokenizer().json());
    assertThat(read.chat().name()).isEqualTo(policy.chat().name());
    assertThat(read.fingerprint()).isNotEqualTo(policy.fingerprint());
  }

  @Test
  void withoutAnotherTypeTheExportIsTheSamePolicy() {
    export(null);
    assertThat(exported().fingerprint()).isEqualTo(policy.fingerprint());
  }

  @Test
  void aDamagedPolicyIsNotExported() throws IOException {
    Path tokenizer = root.resolve("policy/tokenizer.json");
    Files.writeString(tokenizer, Files.readString(tokenizer) + " ");
    assertThatThrownBy(() -> export(DType.BFLOAT16))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("tokenizer.json was cut short or changed");
    assertThat(root.resolve("out")).doesNotExist();
  }
}
