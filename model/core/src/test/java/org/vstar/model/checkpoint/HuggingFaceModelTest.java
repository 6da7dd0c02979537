package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;

class HuggingFaceModelTest {

  private static final ModelConfig SHAPE = new ModelConfig(2, 32, 2, 1, 48, 64, 500, 1e-5, true);
  private static final int VOCABULARY = 40;

  private final WeightSource weights =
      new FlatWeights(
          SHAPE, VOCABULARY, new Initialization(0.3, 0.3, false).draw(SHAPE, VOCABULARY, 1));

  @TempDir Path folder;

  /** Some of the model's tensors. */
  private record Part(WeightSource whole, List<Tensor> tensors) implements TensorSource {
    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      whole.read(tensor, into, offset);
    }
  }

  @BeforeEach
  void writeThreeShards() throws IOException {
    Files.writeString(
        folder.resolve("config.json"),
        HuggingFaceConfig.of(SHAPE, VOCABULARY, List.of()).json().toString());
    ObjectNode index = Json.MAPPER.createObjectNode();
    ObjectNode map = index.putObject("weight_map");
    for (int shard = 0; shard < 3; shard++) {
      int own = shard;
      List<TensorSource.Tensor> tensors = weights.tensors();
      List<TensorSource.Tensor> part =
          tensors.stream().filter(tensor -> tensors.indexOf(tensor) % 3 == own).toList();
      String name = "model-" + shard + ".safetensors";
      try (OutputStream out = Files.newOutputStream(folder.resolve(name))) {
        Safetensors.write(new Part(weights, part), out);
      }
      part.forEach(tensor -> map.put(tensor.name(), name));
    }
    Files.writeString(folder.resolve("model.safetensors.index.json"), index.toString());
  }

  private void assertRefused(String... parts) {
    assertThatThrownBy(() -> HuggingFaceModel.open(folder))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll(parts)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void shardsAreOneModel() {
    HuggingFaceModel model = HuggingFaceModel.open(folder);
    assertThat(model.config()).isEqualTo(SHAPE);
    assertThat(model.tensors()).containsExactlyInAnyOrderElementsOf(weights.tensors());
    assertThat(model.fingerprint()).isEqualTo(weights.fingerprint());
  }

  @Test
  void aMissingShardOrIndexEntryIsNamed() throws IOException {
    Files.delete(folder.resolve("model-1.safetensors"));
    assertRefused("model-1.safetensors is missing");
    Files.copy(folder.resolve("model-0.safetensors"), folder.resolve("model-1.safetensors"));
    assertRefused("model-1.safetensors", "is missing, which model.safetensors.index.json says");
    Path index = folder.resolve("model.safetensors.index.json");
    String text = Files.readString(index);
    Files.writeString(index, text.replace("model-1", "../model-1"));
    assertRefused("model.safetensors.index.json", "'../model-1.safetensors'", "a file's name");
    Files.writeString(index, "{}");
    assertRefused("'weight_map' names no tensors");
    Files.delete(index);
    assertRefused("model.safetensors is missing");
    Files.delete(folder.resolve("config.json"));
    assertRefused("no model in", "config.json is missing");
  }

  @Test
  void aTensorTooFewTooManyOrOfAnotherShapeIsNamed() throws IOException {
    Path config = folder.resolve("config.json");
    String text = Files.readString(config);
    Files.writeString(config, text.replace("\"num_hidden_layers\":2", "\"num_hidden_layers\":3"));
    assertRefused("the weights have no", "model.layers.2");
    Files.writeString(config, text.replace("\"num_hidden_layers\":2", "\"num_hidden_layers\":1"));
    assertRefused("model.layers.1", "which a model of this config does not have");
    Files.writeString(config, text.replace("\"vocab_size\":40", "\"vocab_size\":41"));
    assertRefused("embed_tokens", "41", "40");
  }
}
