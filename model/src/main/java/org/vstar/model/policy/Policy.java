package org.vstar.model.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.vstar.env.ContentHash;
import org.vstar.env.InputError;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.transformer.ParameterLayout;
import org.vstar.model.transformer.Transformer;
import org.vstar.model.transformer.TransformerConfig;

/** A transformer and its tokenizer. Travels to executors by Java serialization. */
public final class Policy implements Serializable {

  private static final long serialVersionUID = 1L;
  private static final String CONFIG = "config.json";
  private static final String TOKENIZER = "tokenizer.json";
  private static final String WEIGHTS = "model.safetensors";

  private final transient Tokenizer tokenizer;
  private final transient Transformer transformer;

  public Policy(Tokenizer tokenizer, Transformer transformer) {
    this.tokenizer = tokenizer;
    this.transformer = transformer;
  }

  /** What crosses the network, or is copied: everything else is made from it. */
  private record Parts(TransformerConfig config, String tokenizer, float[] weights)
      implements Serializable {
    Policy policy() {
      Tokenizer read = new Tokenizer(tokenizer);
      return new Policy(read, new Transformer(config, read.size(), weights));
    }

    private Object readResolve() {
      return policy();
    }
  }

  private Object writeReplace() {
    return new Parts(transformer.config(), tokenizer.json(), transformer.weights());
  }

  private void readObject(java.io.ObjectInputStream in) throws java.io.InvalidObjectException {
    throw new java.io.InvalidObjectException("a policy travels as its parts");
  }

  public Tokenizer tokenizer() {
    return tokenizer;
  }

  public Transformer transformer() {
    return transformer;
  }

  /** The same tokenizer with a copy of the parameters: what is trained while this stays frozen. */
  public Policy copy() {
    return withWeights(transformer.weights().clone());
  }

  /** The same model with other parameters, which are not copied. */
  public Policy withWeights(float[] weights) {
    return new Policy(tokenizer, new Transformer(transformer.config(), tokenizer.size(), weights));
  }

  /** Content hash of the shape, the tokenizer and every weight. */
  public String fingerprint() {
    float[] weights = transformer.weights();
    ByteBuffer bytes =
        ByteBuffer.allocate(weights.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(weights);
    return new ContentHash()
        .add(transformer.config().toString())
        .add(tokenizer.json())
        .add(bytes.array())
        .hex();
  }

  /** Writes the three files into a directory, which is made if need be. */
  public void save(Path directory) throws IOException {
    Files.createDirectories(directory);
    new ObjectMapper()
        .writerWithDefaultPrettyPrinter()
        .writeValue(directory.resolve(CONFIG).toFile(), transformer.config());
    Files.writeString(directory.resolve(TOKENIZER), tokenizer.json());
    Safetensors.write(
        directory.resolve(WEIGHTS), transformer.layout().tensors(), transformer.weights());
  }

  /**
   * Reads what {@link #save} wrote.
   *
   * @throws InputError naming the file that is missing, cut short or of another model
   */
  public static Policy load(Path directory) {
    for (String file : new String[] {CONFIG, TOKENIZER, WEIGHTS}) {
      if (!Files.isRegularFile(directory.resolve(file))) {
        throw new InputError("no policy in " + directory + ": " + file + " is missing");
      }
    }
    try {
      TransformerConfig config =
          new ObjectMapper().readValue(directory.resolve(CONFIG).toFile(), TransformerConfig.class);
      Tokenizer tokenizer = new Tokenizer(Files.readString(directory.resolve(TOKENIZER)));
      ParameterLayout layout =
          new ParameterLayout(config, TransformerConfig.padded(tokenizer.size()));
      float[] weights = new float[layout.size()];
      Safetensors.read(directory.resolve(WEIGHTS), layout.tensors(), weights);
      return new Policy(tokenizer, new Transformer(config, tokenizer.size(), weights));
    } catch (JsonProcessingException e) {
      throw new InputError(directory.resolve(CONFIG) + ": " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new InputError("cannot read policy " + directory + ": " + e.getMessage(), e);
    }
  }
}
