package org.vstar.model.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.vstar.common.FormatVersion;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.RunStore;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * A policy in a store: {@code model.safetensors}, {@code tokenizer.json} and {@code config.json},
 * which is written last. So a policy is there when its config is.
 */
public final class PolicyFiles {

  private static final String CONFIG = "config.json";
  private static final String TOKENIZER = "tokenizer.json";
  private static final String WEIGHTS = "model.safetensors";

  /** Raised when older policies can no longer be read. 1 had no version in its config. */
  private static final int VERSION = 2;

  private PolicyFiles() {}

  /** What is not a tensor and not a token. */
  private record Config(int version, String chat, int vocabulary, ModelConfig model) {}

  /** Writes a policy's files under a name. */
  public static void write(Policy policy, RunStore store, String name) throws IOException {
    WeightSource weights = policy.engine().weights();
    store.publish(name + "/" + WEIGHTS, out -> Safetensors.write(weights, out));
    byte[] tokenizer = policy.tokenizer().json().getBytes(StandardCharsets.UTF_8);
    store.publish(name + "/" + TOKENIZER, out -> out.write(tokenizer));
    Config config =
        new Config(VERSION, policy.chat().name(), weights.vocabulary(), weights.config());
    byte[] json = Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(config);
    store.publish(name + "/" + CONFIG, out -> out.write(json));
  }

  /** Whether there is a whole policy under a name. */
  public static boolean exist(RunStore store, String name) throws IOException {
    return store.exists(name + "/" + CONFIG);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws InvalidInputException naming the file that is missing, cut short, or was written by
   *     another version
   */
  public static Policy read(RunStore store, String name, String engine, EngineOptions options) {
    for (String file : List.of(CONFIG, TOKENIZER, WEIGHTS)) {
      requireFile(store, name, file);
    }
    try (InputStream tokenizer = store.read(name + "/" + TOKENIZER);
        InputStream tensors = store.read(name + "/" + WEIGHTS)) {
      Config config = config(store, name);
      Tokenizer read = new Tokenizer(new String(tokenizer.readAllBytes(), StandardCharsets.UTF_8));
      Safetensors weights = Safetensors.read(store.location(name + "/" + WEIGHTS), tensors);
      WeightSource source = new NamedWeights(config.model, config.vocabulary, weights);
      return new Policy(EngineKind.of(engine).open(source, options), read, chat(config.chat));
    } catch (IOException e) {
      throw new InvalidInputException(
          "cannot read policy " + store.location(name) + ": " + e.getMessage(), e);
    }
  }

  private static void requireFile(RunStore store, String name, String file) {
    try {
      if (!store.exists(name + "/" + file)) {
        throw new InvalidInputException(
            "no policy in " + store.location(name) + ": " + file + " is missing");
      }
    } catch (IOException e) {
      throw new InvalidInputException(
          "cannot read policy " + store.location(name) + ": " + e.getMessage(), e);
    }
  }

  private static Config config(RunStore store, String name) throws IOException {
    String file = store.location(name + "/" + CONFIG);
    try (InputStream in = store.read(name + "/" + CONFIG)) {
      JsonNode tree = Json.MAPPER.readTree(in);
      FormatVersion.require(
          file,
          tree.path("version").asInt(1),
          VERSION,
          "make the policy again (run submit/warm-start into another --out), or use the Vstar that"
              + " wrote it");
      return Json.MAPPER.treeToValue(tree, Config.class);
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(file + ": " + e.getOriginalMessage(), e);
    }
  }

  private static ChatTemplate chat(String name) {
    ChatTemplate marks = new EpisodeMarks();
    if (!marks.name().equals(name)) {
      throw new InvalidInputException(
          "the policy's chat template is '" + name + "', this Vstar knows '" + marks.name() + "'");
    }
    return marks;
  }

  /** Tensors of a file as a model's parameters. Not meant to travel: an engine copies them. */
  private record NamedWeights(ModelConfig config, int vocabulary, TensorSource tensorsOfFile)
      implements WeightSource {

    private static final long serialVersionUID = 1L;

    @Override
    public List<Tensor> tensors() {
      return tensorsOfFile.tensors();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      tensorsOfFile.read(tensor, into, offset);
    }
  }
}
