package org.vstar.model.gguf;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.vstar.common.AtomicFiles;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.HuggingFaceConfig;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.checkpoint.Safetensors;
import org.vstar.model.checkpoint.TokenizerFiles;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * Makes a folder of Hugging Face's layout of a GGUF file: {@code config.json}, {@code
 * model.safetensors}, {@code tokenizer.json} and {@code tokenizer_config.json}. Weights are those
 * of the Python package {@code gguf}, to the bit; the quantization's error stays.
 */
public final class GgufImport {

  private GgufImport() {}

  /**
   * Writes the folder.
   *
   * @param gguf a file of the architecture llama, mistral, qwen2 or qwen3, whose tensors are F32,
   *     F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K or Q6_K
   * @param tokenizer a folder whose tokenizer is taken instead of the file's
   * @param type what weights are stored as; float32 keeps every bit
   * @param to a folder that is not there yet; it appears whole
   * @return what {@code config.json} says
   * @throws InvalidInputException if {@code to} exists, or the file is damaged, or has what Vstar
   *     or {@code transformers} does not compute
   */
  public static HuggingFaceConfig write(Path gguf, Optional<Path> tokenizer, DType type, Path to) {
    if (Files.exists(to)) {
      throw new InvalidInputException("--out: " + to + " is there already");
    }
    GgufFile file = GgufFile.open(gguf);
    GgufModel model = new GgufModel(file);
    HuggingFaceConfig config = model.description();
    Optional<GgufTokenizer> own =
        tokenizer.isPresent() ? Optional.empty() : Optional.of(ownTokenizer(file, config));
    tokenizer.ifPresent(
        folder -> requireRoom(folder.toString(), TokenizerFiles.tokenizer(folder).size(), config));
    requireExpressible(file, config);
    try {
      AtomicFiles.createFolder(
          to,
          scratch -> {
            ObjectNode json = config.json().put("torch_dtype", type.torchName());
            own.ifPresent(t -> t.describe(json));
            Files.writeString(scratch.resolve(HuggingFaceModel.CONFIG), json.toPrettyString());
            if (own.isPresent()) {
              Files.writeString(scratch.resolve(TokenizerFiles.TOKENIZER), own.get().json());
              Files.writeString(scratch.resolve(TokenizerFiles.CONFIG), own.get().config());
            } else {
              TokenizerFiles.copy(tokenizer.get(), scratch);
            }
            try (OutputStream out =
                Files.newOutputStream(scratch.resolve(HuggingFaceModel.WEIGHTS))) {
              Safetensors.write(model, type, out);
            }
          });
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + to, e);
    }
    return config;
  }

  private static void requireRoom(String where, int tokens, HuggingFaceConfig config) {
    if (tokens > config.vocabulary()) {
      throw new InvalidInputException(
          where + " has " + tokens + " tokens, and the model embeddings of " + config.vocabulary());
    }
  }

  /**
   * A file may have biases and norms that its architecture does not have in {@code transformers},
   * or lack some: no {@code config.json} says so.
   */
  static void requireExpressible(GgufFile file, HuggingFaceConfig config) {
    String json = config.json().toString();
    ModelConfig said;
    try {
      said = HuggingFaceConfig.of(file.path().toString(), Json.MAPPER.readTree(json)).model();
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(file.path() + ": " + e.getOriginalMessage(), e);
    }
    if (!said.equals(config.model())) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s: its tensors are not those of %s: they make %s, where config.json would say %s",
              file.path(),
              config.architecture().className(),
              config.model().canonical().text(),
              said.canonical().text()));
    }
  }

  /** The file's tokenizer, which the native library has read once. */
  private static GgufTokenizer ownTokenizer(GgufFile file, HuggingFaceConfig config) {
    GgufTokenizer tokenizer = new GgufTokenizer(file.metadata());
    requireRoom(file.path().toString(), tokenizer.size(), config);
    String json = tokenizer.json();
    try {
      new Tokenizer(json);
    } catch (InvalidInputException e) {
      throw new InvalidInputException(
          file.path() + ": its tokenizer cannot be read: " + e.getMessage(), e);
    }
    return tokenizer;
  }
}
