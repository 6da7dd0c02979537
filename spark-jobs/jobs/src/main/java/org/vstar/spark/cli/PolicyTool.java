package org.vstar.spark.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.vstar.common.FolderStore;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.RunStore;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.chat.Message;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.checkpoint.PeftAdapter;
import org.vstar.model.checkpoint.PolicyExport;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.TokenizerFiles;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.gguf.GgufImport;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.Tokenizer.Span;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Looks at a policy in a folder, Vstar's own or Hugging Face's. Each command prints one JSON object
 * and nothing else.
 */
@Command(
    name = "policy",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    synopsisSubcommandLabel = "COMMAND",
    description = "Looks at a policy: Vstar's own, or any folder in Hugging Face's layout.")
public final class PolicyTool implements Callable<Integer> {

  private final PrintStream out;

  /**
   * Makes the command.
   *
   * @param out where the JSON goes
   */
  public PolicyTool(PrintStream out) {
    this.out = out;
  }

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new PolicyTool(Console.out()), args);
  }

  @Override
  public Integer call() {
    throw new InvalidInputException(
        "expected a command: info, score, generate, encode, chat, export or import");
  }

  /** A model, and what runs it. */
  static final class Model {
    @Option(names = "--model", paramLabel = "DIR", required = true, description = "the model")
    private Path folder;

    @Option(
        names = "--engine",
        paramLabel = "E",
        defaultValue = EngineKind.DEFAULT,
        description = "what runs it (default: ${DEFAULT-VALUE})")
    private String engine;

    @Option(
        names = "--dtype",
        paramLabel = "T",
        defaultValue = "float32",
        description = "float32, bfloat16 or float16 (default: ${DEFAULT-VALUE})")
    private String type;

    @Option(
        names = "--device",
        paramLabel = "D",
        defaultValue = EngineOptions.AUTO,
        description = "auto, cpu or cuda:N (default: ${DEFAULT-VALUE})")
    private String device;

    @Option(
        names = "--ids",
        paramLabel = "N,N…",
        split = ",",
        required = true,
        description = "token ids")
    private int[] ids;

    Engine open() {
      int threads = Runtime.getRuntime().availableProcessors();
      EngineOptions options =
          new EngineOptions(threads, EngineOptions.ONE_THREAD.microBatchTokens());
      return EngineKind.of(engine)
          .open(HuggingFaceModel.open(folder), options.on(device, dtype(type)));
    }

    /** The ids, if the model knows all of them and has room for them. */
    int[] ids(Engine engine, int more) {
      for (int id : ids) {
        if (id < 0 || id >= engine.vocabulary()) {
          throw new InvalidInputException(
              "--ids has " + id + ", the model knows 0 to " + (engine.vocabulary() - 1));
        }
      }
      if (ids.length + more > engine.config().context()) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%d ids and %d more do not fit into the model's context of %d",
                ids.length,
                more,
                engine.config().context()));
      }
      return ids;
    }
  }

  @Command(
      name = "info",
      description =
          "Shape, parameters and tensors' types of a model; of Vstar's policies the fingerprint.")
  int info(@Parameters(paramLabel = "DIR", description = "the model") Path folder)
      throws IOException {
    HuggingFaceModel model = HuggingFaceModel.open(folder);
    ModelConfig shape = model.config();
    Map<String, Long> parameters = new TreeMap<>();
    for (Tensor tensor : model.tensors()) {
      parameters.merge(model.type(tensor).torchName(), (long) tensor.size(), Long::sum);
    }
    Map<String, Object> info = new LinkedHashMap<>();
    info.put("architecture", model.description().architecture().className());
    info.put("parameters", parameters.values().stream().mapToLong(Long::longValue).sum());
    info.put("parametersByType", parameters);
    info.put("vocabulary", model.vocabulary());
    info.put("endTokens", model.description().endTokens());
    info.put("shape", shape);
    fingerprint(folder.toAbsolutePath().normalize())
        .ifPresent(fingerprint -> info.put("fingerprint", fingerprint));
    return print(info);
  }

  /** What tables and jobs call a policy; none of a model that is no policy of Vstar's. */
  private static Optional<String> fingerprint(Path folder) throws IOException {
    RunStore store = new FolderStore(folder.getParent());
    String name = folder.getFileName().toString();
    return PolicyFiles.exist(store, name)
        ? Optional.of(
            PolicyFiles.read(store, name, EngineKind.DEFAULT, EngineOptions.ONE_THREAD)
                .fingerprint())
        : Optional.empty();
  }

  @Command(
      name = "score",
      description = "Natural logarithm of each id's probability given those before it.")
  int score(@Mixin Model model) throws IOException {
    try (Engine engine = model.open();
        Scorer scorer = engine.scorer(1)) {
      int[] ids = model.ids(engine, 0);
      BitSet agent = new BitSet();
      agent.set(1, Math.max(1, ids.length));
      Sequence sequence = new Sequence(ids, agent, List.of());
      return print("ids", ids, "logprobs", scorer.logProbabilities(List.of(sequence))[0]);
    }
  }

  @Command(name = "generate", description = "The likeliest next tokens, one after the other.")
  int generate(
      @Mixin Model model,
      @Option(
              names = "--tokens",
              paramLabel = "N",
              defaultValue = "24",
              description = "how many (default: ${DEFAULT-VALUE})")
          int count)
      throws IOException {
    InvalidInputException.require(count > 0, "--tokens", count, "1 or more");
    try (Engine engine = model.open();
        Generator generator = engine.generator(1)) {
      int[] next = model.ids(engine, count);
      int[] tokens = new int[count];
      for (int i = 0; i < count; i++) {
        Choice likeliest = new Choice(0, null, 0, 1);
        tokens[i] =
            generator.extend(List.of(new Extension(0, next)), List.of(likeliest)).get(0).token();
        next = Arrays.copyOfRange(tokens, i, i + 1);
      }
      return print("ids", tokens);
    }
  }

  /** Where a command writes to. */
  static final class NewFolder {
    @Option(
        names = "--out",
        paramLabel = "DIR",
        required = true,
        description = "where to; must not be there yet")
    private Path folder;
  }

  @Command(
      name = "export",
      description = {
        "Writes a model merged with an adapter of PEFT's, rounded, or both.",
        "A policy of Vstar's stays one."
      })
  int export(
      @Option(names = "--model", paramLabel = "DIR", required = true, description = "the model")
          Path model,
      @Option(
              names = "--adapter",
              paramLabel = "DIR",
              description = "folder of adapter_config.json and adapter_model.safetensors")
          Path adapter,
      @Option(
              names = "--dtype",
              paramLabel = "T",
              description = "float32, bfloat16 or float16 (default: the model's)")
          String type,
      @Mixin NewFolder to)
      throws IOException {
    PolicyExport.write(
        model,
        Optional.ofNullable(adapter).map(PeftAdapter::read),
        Optional.ofNullable(type).map(PolicyTool::dtype),
        to.folder);
    return print("model", to.folder.toString());
  }

  @Command(
      name = "import",
      description = {
        "Makes a folder in Hugging Face's layout of a GGUF file: weights, tokenizer, chat template.",
        "What was lost when the file was quantized stays lost."
      })
  int importGguf(
      @Option(
              names = "--gguf",
              paramLabel = "FILE",
              required = true,
              description = "the file: Llama, Mistral, Qwen2 or Qwen3")
          Path gguf,
      @Option(
              names = "--tokenizer",
              paramLabel = "DIR",
              description = "folder whose tokenizer is taken instead of the file's")
          Path tokenizer,
      @Option(
              names = "--dtype",
              paramLabel = "T",
              defaultValue = "float32",
              description = "float32 (the default, keeps every bit), bfloat16 or float16")
          String type,
      @Mixin NewFolder to)
      throws IOException {
    var config = GgufImport.write(gguf, Optional.ofNullable(tokenizer), dtype(type), to.folder);
    String kind = config.architecture().className();
    List<Integer> ends = config.endTokens();
    return print("model", to.folder.toString(), "architecture", kind, "endTokens", ends);
  }

  private static DType dtype(String name) {
    return DType.ofTorch(name)
        .orElseThrow(
            () ->
                new InvalidInputException(
                    "--dtype is '" + name + "', expected float32, bfloat16 or float16"));
  }

  /** A tokenizer's folder. */
  static final class TokenizerOption {
    @Option(
        names = "--tokenizer",
        paramLabel = "DIR",
        required = true,
        description = "folder of tokenizer.json and tokenizer_config.json")
    private Path folder;
  }

  @Command(
      name = "encode",
      description = "Tokenizes a text; special tokens that it spells out are special tokens.")
  int encode(
      @Mixin TokenizerOption from,
      @Option(names = "--text", paramLabel = "T", required = true, description = "the text")
          String text)
      throws IOException {
    return print("ids", TokenizerFiles.tokenizer(from.folder).encode(text));
  }

  @Command(
      name = "chat",
      description = {
        "Renders a chat with the model's template and tokenizes it. Special tokens that other",
        "messages than the assistant's spell out are text."
      })
  int chat(
      @Mixin TokenizerOption from,
      @Option(
              names = "--messages",
              paramLabel = "FILE",
              required = true,
              description = "JSON: a list of objects with role and content")
          Path file,
      @Option(names = "--generation-prompt", description = "end with the assistant's opening")
          boolean prompt,
      @Option(
              names = "--template-arg",
              paramLabel = "K=V",
              description = "what else the template is given; V is JSON, or text")
          Map<String, String> arguments)
      throws IOException {
    ObjectNode given = Json.MAPPER.createObjectNode();
    (arguments == null ? Map.<String, String>of() : arguments)
        .forEach((name, value) -> given.set(name, value(value)));
    HuggingFaceChat chat = new HuggingFaceChat(TokenizerFiles.config(from.folder), given, null);
    List<Message> messages = messages(file);
    Tokenizer tokenizer = TokenizerFiles.tokenizer(from.folder);
    List<Span> spans = chat.spans(tokenizer, messages, prompt);
    return print("text", chat.render(messages, prompt), "ids", tokenizer.encode(spans));
  }

  private static JsonNode value(String text) {
    try {
      return Json.MAPPER.readTree(text);
    } catch (IOException e) {
      return Json.MAPPER.getNodeFactory().textNode(text);
    }
  }

  private static List<Message> messages(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      List<Message> messages = new ArrayList<>();
      for (JsonNode message : Json.read(file.toString(), in, ArrayNode.class)) {
        if (!(message instanceof ObjectNode fields)) {
          throw new InvalidInputException(
              file + ": " + message + " is no message: expected role and content");
        }
        messages.add(new Message(fields));
      }
      return messages;
    } catch (NoSuchFileException e) {
      throw new InvalidInputException("--messages: " + file + " does not exist", e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file, e);
    }
  }

  /** Prints an object of the given names and values. */
  private int print(Object... pairs) throws IOException {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      object.put((String) pairs[i], pairs[i + 1]);
    }
    return print(object);
  }

  private int print(Map<String, Object> object) throws IOException {
    ObjectNode json = Json.MAPPER.valueToTree(object);
    out.println(Json.MAPPER.writeValueAsString(json));
    return 0;
  }
}
