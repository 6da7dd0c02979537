package org.vstar.model.checkpoint;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.vstar.common.AtomicFiles;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.TensorSource;

/** Writes a model into a folder of its own, changed for those who use it. */
public final class PolicyExport {

  private PolicyExport() {}

  /**
   * Writes a model whose weights are merged with an adapter, rounded, or both. What else is in its
   * folder (its tokenizer for example) is copied; a policy of Vstar's stays one.
   *
   * @param model a folder of Hugging Face's layout
   * @param type what weights are rounded to; that of the model if there is none
   * @param to a folder that is not there yet; it appears whole
   * @throws InvalidInputException if it is there, a file is damaged, or the adapter does not fit
   */
  public static void write(Path model, Optional<Adapter> adapter, Optional<DType> type, Path to) {
    HuggingFaceModel from = HuggingFaceModel.open(model);
    adapter.ifPresent(a -> a.lora().requireAll(from.config(), a.tensors()));
    if (Files.exists(to)) {
      throw new InvalidInputException("--out: " + to + " is there already");
    }
    TensorSource weights = adapter.<TensorSource>map(a -> a.merged(from)).orElse(from);
    try {
      AtomicFiles.createFolder(
          to,
          scratch -> {
            Path file = scratch.resolve(HuggingFaceModel.WEIGHTS);
            try (OutputStream out = Files.newOutputStream(file)) {
              Safetensors.write(weights, type.orElse(from.description().type()), out);
            }
            copyOthers(model, scratch);
            if (type.isPresent()) {
              declare(type.get(), scratch.resolve(HuggingFaceModel.CONFIG));
            }
            PolicyFiles.sealCopy(model, scratch);
          });
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + to, e);
    }
  }

  private static void copyOthers(Path model, Path to) throws IOException {
    try (Stream<Path> files = Files.list(model)) {
      for (Path file : files.filter(PolicyExport::isCopied).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  /** Not what holds the old weights, or hashes of them. */
  private static boolean isCopied(Path file) {
    String name = file.getFileName().toString();
    boolean weights = name.contains(".safetensors") || name.endsWith(".bin");
    return Files.isRegularFile(file) && !weights && !name.equals(PolicyFiles.SEAL);
  }

  /** Says in {@code config.json} what the weights are rounded to. */
  private static void declare(DType type, Path config) throws IOException {
    ObjectNode fields;
    try (InputStream in = Files.newInputStream(config)) {
      fields = Json.read(config.toString(), in, ObjectNode.class);
    }
    fields.put(fields.hasNonNull("dtype") ? "dtype" : "torch_dtype", type.torchName());
    Files.writeString(config, fields.toPrettyString());
  }
}
