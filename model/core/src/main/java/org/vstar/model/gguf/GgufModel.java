package org.vstar.model.gguf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.common.InvalidInputException;
import org.vstar.model.checkpoint.HuggingFaceConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.gguf.GgufFile.StoredTensor;

/**
 * The weights of a GGUF file, by the names, shapes and order of rows of Hugging Face's {@code
 * transformers}.
 *
 * <p>llama.cpp rotates neighbours in a head where {@code transformers} rotates halves. Its files of
 * the architecture {@code llama} therefore have the rows of queries and keys in another order: row
 * 2i + j of a head there is row i + j · headWidth / 2 here.
 */
final class GgufModel implements WeightSource {

  private static final int CHUNK = 1 << 20;

  private static final Pattern OF_BLOCK =
      Pattern.compile("blk\\.(0|[1-9]\\d{0,3})\\.(\\w+)\\.(weight|bias)");

  /** Where a tensor's values are, and whether its rows are in llama.cpp's order. */
  private record Place(StoredTensor stored, boolean isInterleaved) {}

  private final GgufFile file;
  private final HuggingFaceConfig description;
  private final Map<Tensor, Place> places = new LinkedHashMap<>();

  /**
   * The model of a file.
   *
   * @throws InvalidInputException naming what is missing or not supported
   */
  GgufModel(GgufFile file) {
    this.file = file;
    description = new GgufConfig(file).read();
    file.tensors()
        .forEach(
            (name, stored) -> {
              if (!name.equals(GgufConfig.ROPE_FACTORS)) {
                place(stored);
              }
            });
    try {
      requireAll();
    } catch (InvalidInputException e) {
      throw new InvalidInputException(file.path() + ": " + e.getMessage(), e);
    }
  }

  private void place(StoredTensor stored) {
    String name =
        name(stored.name())
            .orElseThrow(
                () ->
                    new InvalidInputException(
                        String.format(
                            Locale.ROOT,
                            "%s: '%s' is not a tensor of %s",
                            file.path(),
                            stored.name(),
                            description.architecture().className())));
    Tensor tensor = new Tensor(name, stored.rows(), stored.columns(), stored.isMatrix());
    boolean rotated = name.contains(".q_proj.") || name.contains(".k_proj.");
    places.put(tensor, new Place(stored, rotated && GgufConfig.isInterleaved(file.metadata())));
  }

  /** What {@code transformers} calls a tensor of llama.cpp's; none if it has no such tensor. */
  private static Optional<String> name(String ggml) {
    switch (ggml) {
      case "token_embd.weight":
        return Optional.of(ModelTensors.EMBEDDING);
      case "output_norm.weight":
        return Optional.of(ModelTensors.FINAL_NORM);
      case "output.weight":
        return Optional.of(ModelTensors.HEAD);
      default:
    }
    Matcher matcher = OF_BLOCK.matcher(ggml);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int layer = Integer.parseInt(matcher.group(1));
    boolean weight = matcher.group(3).equals("weight");
    Optional<String> norm =
        switch (matcher.group(2)) {
          case "attn_norm" -> Optional.of(ModelTensors.attentionNorm(layer));
          case "ffn_norm" -> Optional.of(ModelTensors.feedForwardNorm(layer));
          case "attn_q_norm" -> Optional.of(ModelTensors.queryNorm(layer));
          case "attn_k_norm" -> Optional.of(ModelTensors.keyNorm(layer));
          default -> Optional.empty();
        };
    if (norm.isPresent()) {
      return norm.filter(name -> weight);
    }
    return projection(matcher.group(2)).map(p -> weight ? p.weight(layer) : p.bias(layer));
  }

  private static Optional<Projection> projection(String ggml) {
    return Optional.ofNullable(
        switch (ggml) {
          case "attn_q" -> Projection.QUERY;
          case "attn_k" -> Projection.KEY;
          case "attn_v" -> Projection.VALUE;
          case "attn_output" -> Projection.OUTPUT;
          case "ffn_gate" -> Projection.GATE;
          case "ffn_up" -> Projection.UP;
          case "ffn_down" -> Projection.DOWN;
          default -> null;
        });
  }

  /** What {@code config.json} says of it. */
  HuggingFaceConfig description() {
    return description;
  }

  @Override
  public ModelConfig config() {
    return description.model();
  }

  @Override
  public int vocabulary() {
    return description.vocabulary();
  }

  /** In the order of {@link ModelTensors}, whatever the file's is. */
  @Override
  public List<Tensor> tensors() {
    List<Tensor> ordered = new ArrayList<>(ModelTensors.of(config(), vocabulary()));
    ordered.retainAll(places.keySet());
    places.keySet().stream().filter(tensor -> !ordered.contains(tensor)).forEach(ordered::add);
    return ordered;
  }

  @Override
  public void read(Tensor tensor, float[] into, int offset) {
    TensorSource.readJoined(this, tensor, into, offset);
  }

  @Override
  public void readPieces(Tensor tensor, Pieces to) {
    Place place = places.get(tensor);
    if (place == null) {
      throw new InvalidInputException(file.path() + " has no " + tensor);
    }
    if (place.isInterleaved && !tensor.isMatrix()) {
      readBiases(tensor, place, to);
      return;
    }
    int columns = tensor.columns();
    int rows = tensor.rows();
    int head = config().headWidth();
    int group = place.isInterleaved ? head : Math.max(1, Math.min(rows, CHUNK / columns));
    float[] values = new float[group * columns];
    try (FileChannel channel = FileChannel.open(file.path())) {
      for (int from = 0; from < rows; from += group) {
        int count = Math.min(group, rows - from);
        read(channel, place, new Rows(from, count, columns), values);
        requireFinite(place.stored, values, count * columns);
        to.take(values, count * columns);
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file.path(), e);
    } catch (InternalError e) {
      // What Java makes of a mapped page that is gone.
      throw new InvalidInputException(file.path() + " was cut short while it was read", e);
    }
  }

  /** The biases of queries or keys, which are in the order of their rows. */
  private void readBiases(Tensor tensor, Place place, Pieces to) {
    float[] values = new float[tensor.size()];
    Place plain = new Place(place.stored, false);
    try (FileChannel channel = FileChannel.open(file.path())) {
      read(channel, plain, new Rows(0, 1, values.length), values);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file.path(), e);
    }
    requireFinite(place.stored, values, values.length);
    int head = config().headWidth();
    float[] ordered = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      ordered[i / head * head + new Rows(i, head, 1).halved(i % head)] = values[i];
    }
    to.take(ordered, ordered.length);
  }

  /** Some rows of a tensor; of an interleaved one those of one head. */
  private record Rows(int from, int count, int columns) {

    /** Which of them llama.cpp stores at a place. */
    int halved(int stored) {
      return stored / 2 + stored % 2 * (count / 2);
    }
  }

  private void read(FileChannel channel, Place place, Rows rows, float[] values)
      throws IOException {
    GgufType type = place.stored.type();
    int columns = rows.columns;
    ByteBuffer bytes =
        file.map(channel, place.stored, (long) rows.from * columns, rows.count * columns);
    if (!place.isInterleaved) {
      type.dequantise(bytes, 0, values, 0, rows.count * columns);
      return;
    }
    for (int row = 0; row < rows.count; row++) {
      int at = (int) type.bytes((long) row * columns);
      type.dequantise(bytes, at, values, rows.halved(row) * columns, columns);
    }
  }

  private void requireFinite(StoredTensor tensor, float[] values, int count) {
    for (int i = 0; i < count; i++) {
      if (!Float.isFinite(values[i])) {
        throw new InvalidInputException(
            file.path()
                + ": tensor '"
                + tensor.name()
                + "' has "
                + values[i]
                + ", expected finite numbers: it is damaged");
      }
    }
  }
}
