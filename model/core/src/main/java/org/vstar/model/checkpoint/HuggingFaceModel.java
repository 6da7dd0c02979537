package org.vstar.model.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.vstar.common.FileNames;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.StoredTensors;
import org.vstar.model.engine.WeightSource;

/**
 * A model in a folder of Hugging Face's layout: {@code config.json}, and {@code model.safetensors}
 * or its shards with {@code model.safetensors.index.json}. Opening it checks every header; weights
 * are read from the mapped files when they are asked for.
 */
public final class HuggingFaceModel implements WeightSource, StoredTensors {

  /** The file of the shape. */
  public static final String CONFIG = "config.json";

  /** The file of the weights, where there is one. */
  public static final String WEIGHTS = "model.safetensors";

  /** The file that names the shards, where there are some. */
  static final String INDEX = WEIGHTS + ".index.json";

  /** The file of how transformers generates, which may name more tokens that end an answer. */
  static final String GENERATION = "generation_config.json";

  /** Buffers that old checkpoints carry along; they follow from the config. */
  private static final String ROPE_BUFFER = ".rotary_emb.inv_freq";

  private final HuggingFaceConfig config;
  private final Map<String, Safetensors> files;

  private HuggingFaceModel(HuggingFaceConfig config, Map<String, Safetensors> files) {
    this.config = config;
    this.files = files;
  }

  /**
   * Opens a model.
   *
   * @throws InvalidInputException naming the file that is missing or damaged, or the field or
   *     tensor that does not fit
   */
  public static HuggingFaceModel open(Path folder) {
    HuggingFaceConfig config =
        HuggingFaceConfig.of(folder.resolve(CONFIG).toString(), json(folder.resolve(CONFIG)));
    Map<String, Safetensors> files = new LinkedHashMap<>();
    if (isSharded(folder)) {
      shards(folder, files);
    } else {
      Safetensors whole = tensors(folder.resolve(WEIGHTS));
      whole.tensors().forEach(tensor -> files.put(tensor.name(), whole));
    }
    files.keySet().removeIf(name -> name.endsWith(ROPE_BUFFER));
    if (config.model().tied()) {
      files.remove(ModelTensors.HEAD);
    }
    HuggingFaceModel model = new HuggingFaceModel(config, files);
    try {
      model.requireAll();
    } catch (InvalidInputException e) {
      throw new InvalidInputException(folder + ": " + e.getMessage(), e);
    }
    return model;
  }

  /** As in {@code transformers}, weights in one file go before an index. */
  private static boolean isSharded(Path folder) {
    return !Files.exists(folder.resolve(WEIGHTS)) && Files.exists(folder.resolve(INDEX));
  }

  private static void shards(Path folder, Map<String, Safetensors> files) {
    Path index = folder.resolve(INDEX);
    Map<String, String> shardOf = new TreeMap<>();
    json(index)
        .path("weight_map")
        .properties()
        .forEach(entry -> shardOf.put(entry.getKey(), entry.getValue().asText()));
    Map<String, Safetensors> opened = new TreeMap<>();
    shardOf.forEach(
        (name, shard) -> {
          FileNames.require(index + ": tensor '" + name + "' is in", shard);
          Safetensors file = opened.computeIfAbsent(shard, s -> tensors(folder.resolve(s)));
          if (file.tensors().stream().noneMatch(tensor -> tensor.name().equals(name))) {
            throw new InvalidInputException(
                folder.resolve(shard)
                    + ": tensor '"
                    + name
                    + "' is missing, which "
                    + INDEX
                    + " says is there");
          }
          files.put(name, file);
        });
    if (files.isEmpty()) {
      throw new InvalidInputException(index + ": field 'weight_map' names no tensors");
    }
  }

  private static Safetensors tensors(Path file) {
    try {
      return Safetensors.open(file);
    } catch (NoSuchFileException e) {
      throw new InvalidInputException(file + " is missing", e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file, e);
    }
  }

  private static JsonNode json(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return Json.read(file.toString(), in, JsonNode.class);
    } catch (NoSuchFileException e) {
      throw new InvalidInputException(
          "no model in " + file.getParent() + ": " + file.getFileName() + " is missing", e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file, e);
    }
  }

  /**
   * The names of a model's files in its folder: {@code config.json}, {@code generation_config.json}
   * where there is one, and the weights in one file, or an index and the shards that it names.
   */
  static List<String> files(Path folder) {
    Set<String> names = new TreeSet<>(List.of(CONFIG));
    if (Files.exists(folder.resolve(GENERATION))) {
      names.add(GENERATION);
    }
    if (!isSharded(folder)) {
      names.add(WEIGHTS);
      return List.copyOf(names);
    }
    names.add(INDEX);
    for (JsonNode shard : json(folder.resolve(INDEX)).path("weight_map")) {
      FileNames.require(folder.resolve(INDEX) + ": a tensor is in", shard.asText());
      names.add(shard.asText());
    }
    return List.copyOf(names);
  }

  /**
   * The ids that end an answer, as {@code config.json} and {@code generation_config.json} say
   * together; none where there are no such files.
   *
   * @throws InvalidInputException if one of them is no JSON object
   */
  public static List<Integer> endTokens(Path folder) {
    return endTokens(folder, Set.of(CONFIG, GENERATION));
  }

  /** The same by some of a folder's files: others were put there later. */
  static List<Integer> endTokens(Path folder, Set<String> files) {
    Set<Integer> ids = new TreeSet<>();
    for (String name : List.of(CONFIG, GENERATION)) {
      Path file = folder.resolve(name);
      if (files.contains(name) && Files.exists(file)) {
        ids.addAll(HuggingFaceConfig.endTokens(json(file)));
      }
    }
    return List.copyOf(ids);
  }

  /** What {@code config.json} says. */
  public HuggingFaceConfig description() {
    return config;
  }

  @Override
  public ModelConfig config() {
    return config.model();
  }

  @Override
  public int vocabulary() {
    return config.vocabulary();
  }

  @Override
  public List<Tensor> tensors() {
    List<Tensor> tensors = new ArrayList<>();
    files.values().stream()
        .distinct()
        .forEach(
            file ->
                file.tensors().stream()
                    .filter(tensor -> files.get(tensor.name()) == file)
                    .forEach(tensors::add));
    return tensors;
  }

  @Override
  public DType type(Tensor tensor) {
    return file(tensor).type(tensor);
  }

  private Safetensors file(Tensor tensor) {
    Safetensors file = files.get(tensor.name());
    if (file == null) {
      throw new InvalidInputException("the model has no " + tensor);
    }
    return file;
  }

  @Override
  public void read(Tensor tensor, float[] into, int offset) {
    file(tensor).read(tensor, into, offset);
  }

  @Override
  public void readPieces(Tensor tensor, Pieces to) {
    file(tensor).readPieces(tensor, to);
  }

  @Override
  public void bytes(Tensor tensor, Consumer<ByteBuffer> to) {
    file(tensor).bytes(tensor, to);
  }
}
