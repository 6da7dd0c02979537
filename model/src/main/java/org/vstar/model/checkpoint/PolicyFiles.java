package org.vstar.model.checkpoint;

import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.common.SealedJson;
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
  private static final int VERSION = 3;

  private static final String ADVICE =
      "make the policy again with another --out (submit/warm-start, submit/train), or use the Vstar"
          + " that wrote it";

  private PolicyFiles() {}

  /**
   * What is not a tensor and not a token.
   *
   * @param files content hash of each of the other files
   */
  private record Config(
      int version, String chat, int vocabulary, ModelConfig model, Map<String, String> files) {}

  /** Writes a policy's files under a name, in the place of any policy that is there. */
  public static void write(Policy policy, RunStore store, String name) throws IOException {
    // Without its config there is no policy, so that none is there whose files do not fit.
    store.delete(name + "/" + CONFIG);
    WeightSource weights = policy.engine().weights();
    ContentHash weightsHash = new ContentHash();
    store.publish(
        name + "/" + WEIGHTS, out -> Safetensors.write(weights, weightsHash.through(out)));
    byte[] tokenizer = policy.tokenizer().json().getBytes(StandardCharsets.UTF_8);
    store.publish(name + "/" + TOKENIZER, out -> out.write(tokenizer));
    Map<String, String> hashes = Map.of(WEIGHTS, weightsHash.hex(), TOKENIZER, hash(tokenizer));
    byte[] json =
        SealedJson.write(
            new Config(
                VERSION,
                policy.chat().name(),
                weights.vocabulary(),
                weights.config(),
                new TreeMap<>(hashes)));
    store.publish(name + "/" + CONFIG, out -> out.write(json));
  }

  private static String hash(byte[] content) throws IOException {
    return new ContentHash().add(new ByteArrayInputStream(content)).hex();
  }

  /** Whether there is a whole policy under a name. */
  public static boolean exist(RunStore store, String name) throws IOException {
    return store.exists(name + "/" + CONFIG);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws InvalidInputException naming the file that is missing, was cut short or changed, or was
   *     written by another version
   */
  public static Policy read(RunStore store, String name, String engine, EngineOptions options) {
    Config config = config(store, name);
    byte[] tokenizer = bytes(store, name, TOKENIZER, config);
    byte[] tensors = bytes(store, name, WEIGHTS, config);
    try {
      Tokenizer read = new Tokenizer(new String(tokenizer, StandardCharsets.UTF_8));
      String file = store.location(name + "/" + WEIGHTS);
      Safetensors weights = Safetensors.read(file, new ByteArrayInputStream(tensors));
      WeightSource source = new NamedWeights(config.model, config.vocabulary, weights);
      return new Policy(EngineKind.of(engine).open(source, options), read, chat(config.chat));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read policy " + store.location(name), e);
    }
  }

  private static Config config(RunStore store, String name) {
    String where = store.location(name + "/" + CONFIG);
    try (InputStream in = store.read(name + "/" + CONFIG)) {
      return SealedJson.read(where, in, Config.class, VERSION, ADVICE);
    } catch (FileNotFoundException e) {
      throw new InvalidInputException(
          "no policy in " + store.location(name) + ": " + CONFIG + " is missing", e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + where, e);
    }
  }

  /** A file whose content is what the config says. */
  private static byte[] bytes(RunStore store, String name, String file, Config config) {
    String where = store.location(name + "/" + file);
    try (InputStream in = store.read(name + "/" + file)) {
      byte[] bytes = in.readAllBytes();
      if (!hash(bytes).equals(config.files.get(file))) {
        throw new InvalidInputException(
            where + " was cut short or changed since it was written: " + ADVICE);
      }
      return bytes;
    } catch (FileNotFoundException e) {
      throw new InvalidInputException(
          "no policy in " + store.location(name) + ": " + file + " is missing", e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + where, e);
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
