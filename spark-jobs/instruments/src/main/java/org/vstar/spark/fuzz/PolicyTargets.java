package org.vstar.spark.fuzz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.vstar.common.FolderStore;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.Safetensors;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.train.Checkpoint;

/** Models: weights, tokenizers, shapes, whole policies and checkpoints. */
final class PolicyTargets {

  private PolicyTargets() {}

  static List<Target> all(SmallRun run) throws IOException {
    Path reference = run.folder().resolve("reference");
    Path checkpoint = run.folder().resolve("train-regression/checkpoints/step-000002");
    Safetensors weights = Safetensors.open(reference.resolve("model.safetensors"));
    return List.of(
        new Weights(
            Files.readAllBytes(reference.resolve("model.safetensors")),
            run.folder().resolveSibling("fuzzed.safetensors")),
        new HuggingFace(reference, run),
        new Vocabulary(Files.readAllBytes(reference.resolve("tokenizer.json"))),
        new Shape(Json.MAPPER.valueToTree(run.config().policy().model()), run, weights),
        new Policies(reference, run),
        new Checkpoints(checkpoint, run));
  }

  private static byte[] digest(TensorSource tensors) {
    List<Float> values = new ArrayList<>();
    for (Tensor tensor : tensors.tensors()) {
      float[] into = new float[tensor.size()];
      tensors.read(tensor, into, 0);
      for (float value : into) {
        values.add(value);
      }
    }
    return (tensors.tensors() + " " + values).getBytes(StandardCharsets.UTF_8);
  }

  /** The parser alone, without the hash that stands beside the file. */
  private record Weights(byte[] content, Path file) implements Target {
    @Override
    public String name() {
      return "safetensors";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      byte[] changed = content;
      if (random.nextBoolean()) {
        changed = Mutation.bytes(random, content);
      } else {
        int head =
            (int)
                java.nio.ByteBuffer.wrap(content).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong();
        byte[] header = Mutation.json(random, Arrays.copyOfRange(content, 8, 8 + head));
        changed =
            java.nio.ByteBuffer.allocate(8 + header.length + content.length - 8 - head)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .put(header)
                .put(content, 8 + head, content.length - 8 - head)
                .array();
      }
      digest(Safetensors.open(Files.write(file, changed)));
    }
  }

  /** A model of another program, without the hashes that stand beside ours. */
  private record HuggingFace(Path whole, SmallRun run) implements Target {
    @Override
    public String name() {
      return "hugging-face";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      Path folder = Files.createDirectories(run.folder().resolveSibling("hugging-face"));
      String name = random.nextInt(3) > 0 ? "config.json" : "model.safetensors";
      for (String file : List.of("config.json", "model.safetensors")) {
        byte[] content = Files.readAllBytes(whole.resolve(file));
        if (file.equals(name)) {
          content =
              file.endsWith(".json")
                  ? Mutation.json(random, content)
                  : Mutation.bytes(random, content);
        }
        Files.write(folder.resolve(file), content);
      }
      EngineKind.of(run.config().compute().engine())
          .open(HuggingFaceModel.open(folder), EngineOptions.ONE_THREAD)
          .close();
    }
  }

  /** A tokenizer without the hash that stands beside the file. */
  private record Vocabulary(byte[] content) implements Target {
    @Override
    public String name() {
      return "tokenizer";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      byte[] changed = Mutation.json(random, content);
      Tokenizer tokenizer = new Tokenizer(new String(changed, StandardCharsets.UTF_8));
      tokenizer.decode(tokenizer.encode("choose phoenix or <think> é 😀"));
    }
  }

  /** A model's shape as a user could write it, on weights of another. */
  private record Shape(ObjectNode model, SmallRun run, TensorSource tensors) implements Target {

    @Override
    public String name() {
      return "model-config";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      byte[] changed = Mutation.json(random, Json.MAPPER.writeValueAsBytes(model));
      ModelConfig config =
          Json.read("fuzzed", new ByteArrayInputStream(changed), ModelConfig.class);
      int vocabulary = run.reference().tokenizer().size() + random.nextInt(3);
      EngineKind.of(run.config().compute().engine())
          .open(WeightSource.of(config, vocabulary, tensors), EngineOptions.ONE_THREAD)
          .close();
    }
  }

  /** A folder's files, one of which is changed. */
  private static void copy(SplittableRandom random, Path from, Path to) throws IOException {
    Files.createDirectories(to);
    List<Path> files;
    try (Stream<Path> all = Files.list(from)) {
      files = all.filter(f -> !f.getFileName().toString().startsWith(".")).sorted().toList();
    }
    int which = random.nextInt(files.size());
    for (int i = 0; i < files.size(); i++) {
      byte[] content = Files.readAllBytes(files.get(i));
      boolean json = files.get(i).toString().endsWith(".json") && random.nextBoolean();
      if (i == which) {
        content = json ? Mutation.json(random, content) : Mutation.bytes(random, content);
      }
      Files.write(to.resolve(files.get(i).getFileName()), content);
    }
  }

  /** A policy is refused, or it is what it was. */
  private record Policies(Path whole, SmallRun run) implements Target {
    @Override
    public String name() {
      return "policy";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      Path folder = run.folder().resolveSibling("policy");
      copy(random, whole, folder.resolve("it"));
      String read =
          PolicyFiles.read(
                  new FolderStore(folder),
                  "it",
                  run.config().compute().engine(),
                  EngineOptions.ONE_THREAD)
              .fingerprint();
      Target.requireEqual("a policy", run.reference().fingerprint(), read);
    }
  }

  /** A checkpoint is refused, or it is what it was. */
  private record Checkpoints(Path whole, SmallRun run) implements Target {
    @Override
    public String name() {
      return "checkpoint";
    }

    @Override
    public void attack(SplittableRandom random) throws IOException {
      Path folder = run.folder().resolveSibling("checkpoint");
      copy(random, whole, folder.resolve("it"));
      Checkpoint before = read(whole.getParent(), whole.getFileName().toString());
      Checkpoint now = read(folder, "it");
      Target.requireEqual("a checkpoint's state", before.state(), now.state());
      Target.requireEqual(
          "a checkpoint's policy", before.policy().fingerprint(), now.policy().fingerprint());
      Target.requireEqual(
          "a checkpoint's moments",
          Arrays.hashCode(digest(before.moments())),
          Arrays.hashCode(digest(now.moments())));
    }

    private Checkpoint read(Path folder, String name) throws IOException {
      Map<String, String> settings =
          Json.MAPPER
              .readTree(whole.resolve("state.json").toFile())
              .path("settings")
              .properties()
              .stream()
              .collect(
                  java.util.stream.Collectors.toMap(Map.Entry::getKey, e -> e.getValue().asText()));
      return Checkpoint.read(
          new FolderStore(folder), name, settings, run.reference(), EngineOptions.ONE_THREAD);
    }
  }
}
