package org.vstar.model.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.vstar.common.AtomicFiles;
import org.vstar.common.ContentHash;
import org.vstar.common.FolderStore;
import org.vstar.common.FormatVersion;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.OptionalKey;
import org.vstar.common.RunStore;
import org.vstar.common.SealedJson;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.Tokenizer;

/**
 * A policy in a store, in Hugging Face's layout: {@code config.json}, {@code model.safetensors},
 * {@code tokenizer.json} and {@code tokenizer_config.json} open in {@code transformers} as they
 * are. Beside them stands {@code vstar.json} with their hashes, which is written last: a policy is
 * there when it is.
 */
public final class PolicyFiles {

  /** The file that is written last. */
  static final String SEAL = "vstar.json";

  /**
   * The name of a run's reference policy. PEFT finds the model below an adapter by it, seen from
   * the run's folder.
   */
  public static final String REFERENCE = "reference";

  private static final String CONFIG = HuggingFaceModel.CONFIG;
  private static final String WEIGHTS = HuggingFaceModel.WEIGHTS;
  private static final String TOKENIZER = TokenizerFiles.TOKENIZER;
  private static final String TOKENIZER_CONFIG = TokenizerFiles.CONFIG;

  /** Raised when older policies can no longer be read. Up to 3 it stood in config.json. */
  private static final int VERSION = 4;

  private static final String ADVICE =
      "make the policy again with another --out (submit/warm-start, submit/train), or use the Vstar"
          + " that wrote it";

  private PolicyFiles() {}

  /**
   * What Hugging Face's files do not say.
   *
   * @param chat name of the chat template
   * @param system what the system's message says, or null
   * @param arguments what the chat template is given besides messages, as JSON, or null
   * @param base fingerprint of the model that an adapter was trained on, or null
   * @param files content hash of each of the other files
   */
  private record Seal(
      int version,
      String chat,
      @OptionalKey String system,
      @OptionalKey String arguments,
      @OptionalKey String base,
      Map<String, String> files) {
    static Seal of(ChatTemplate chat, String base, Map<String, String> files) {
      HuggingFaceChat own = chat instanceof HuggingFaceChat found ? found : null;
      return new Seal(
          VERSION,
          chat.name(),
          own == null ? null : own.system(),
          own == null ? null : own.arguments(),
          base,
          files);
    }
  }

  /**
   * Writes a policy's files under a name, in the place of any policy that is there; of an adapted
   * model the adapter, as PEFT does.
   */
  public static void write(Policy policy, RunStore store, String name) throws IOException {
    unseal(store, name);
    Tokenizer tokenizer = policy.tokenizer();
    int context = policy.engine().config().context();
    Map<String, String> texts = new TreeMap<>();
    texts.put(TOKENIZER, tokenizer.json());
    texts.put(TOKENIZER_CONFIG, policy.chat().tokenizerConfig(tokenizer, context));
    Map<String, String> hashes = new TreeMap<>();
    Optional<Adapter> adapter = policy.engine().adapter();
    if (adapter.isPresent()) {
      texts.put(PeftAdapter.CONFIG, PeftAdapter.config(adapter.get().lora(), REFERENCE));
      hashes.put(
          PeftAdapter.WEIGHTS,
          publish(
              store,
              name + "/" + PeftAdapter.WEIGHTS,
              out -> PeftAdapter.writeTensors(adapter.get(), out)));
    } else {
      WeightSource weights = policy.engine().weights();
      List<Integer> ends = policy.chat().stopTokens(tokenizer).stream().sorted().toList();
      HuggingFaceConfig config = HuggingFaceConfig.of(weights.config(), weights.vocabulary(), ends);
      texts.put(CONFIG, config.json().toPrettyString());
      hashes.put(
          WEIGHTS, publish(store, name + "/" + WEIGHTS, out -> Safetensors.write(weights, out)));
    }
    String below = policy.engine().base().map(Engine::fingerprint).orElse(null);
    seal(store, name, texts, Seal.of(policy.chat(), below, hashes));
  }

  /**
   * Writes a model of Hugging Face's, file by file, as a policy.
   *
   * @param model its folder
   * @throws InvalidInputException if a file is missing or damaged
   */
  public static void copy(
      Path model, Tokenizer tokenizer, HuggingFaceChat chat, RunStore store, String name)
      throws IOException {
    unseal(store, name);
    int context = HuggingFaceModel.open(model).config().context();
    Map<String, String> hashes = new TreeMap<>();
    for (String file : HuggingFaceModel.files(model)) {
      hashes.put(
          file, publish(store, name + "/" + file, out -> Files.copy(model.resolve(file), out)));
    }
    Map<String, String> texts = new TreeMap<>();
    texts.put(TOKENIZER, tokenizer.json());
    texts.put(TOKENIZER_CONFIG, chat.tokenizerConfig(tokenizer, context));
    seal(store, name, texts, Seal.of(chat, null, hashes));
  }

  /**
   * Seals a copy of a folder, if that is a policy: what it says of itself stays, hashes are new.
   *
   * @throws InvalidInputException if a file of the policy is missing or damaged
   */
  static void sealCopy(Path policy, Path copy) throws IOException {
    if (!Files.exists(policy.resolve(SEAL))) {
      return;
    }
    RunStore from = new FolderStore(policy.toAbsolutePath().getParent());
    String name = policy.toAbsolutePath().getFileName().toString();
    Seal seal = seal(from, name);
    for (String file : seal.files.keySet()) {
      check(from, name, file, seal);
    }
    Map<String, String> hashes = new TreeMap<>();
    List<String> files = new ArrayList<>(List.of(CONFIG, WEIGHTS, TOKENIZER, TOKENIZER_CONFIG));
    if (Files.exists(copy.resolve(HuggingFaceModel.GENERATION))) {
      files.add(HuggingFaceModel.GENERATION);
    }
    for (String file : files) {
      try (InputStream in = Files.newInputStream(copy.resolve(file))) {
        hashes.put(file, new ContentHash().add(in).hex());
      }
    }
    Files.write(
        copy.resolve(SEAL),
        SealedJson.write(
            new Seal(VERSION, seal.chat, seal.system, seal.arguments, seal.base, hashes)));
  }

  /**
   * Without its seal there is no policy, so that none is there whose files do not fit. Weights in
   * one file, an index of shards and a generation config, which another policy may have left, would
   * be read beside this one's files.
   */
  private static void unseal(RunStore store, String name) throws IOException {
    store.delete(name + "/" + SEAL);
    for (String file : List.of(WEIGHTS, HuggingFaceModel.INDEX, HuggingFaceModel.GENERATION)) {
      store.delete(name + "/" + file);
    }
  }

  /** Writes the texts, and then the seal over them and what has been written before. */
  private static void seal(RunStore store, String name, Map<String, String> texts, Seal seal)
      throws IOException {
    for (Map.Entry<String, String> text : texts.entrySet()) {
      byte[] bytes = text.getValue().getBytes(StandardCharsets.UTF_8);
      store.publish(name + "/" + text.getKey(), out -> out.write(bytes));
      seal.files.put(text.getKey(), hash(bytes));
    }
    byte[] json = SealedJson.write(seal);
    store.publish(name + "/" + SEAL, out -> out.write(json));
  }

  /** Gives the content hash of what was written. */
  private static String publish(RunStore store, String name, AtomicFiles.FileWriter writer)
      throws IOException {
    ContentHash hash = new ContentHash();
    store.publish(name, out -> writer.write(hash.through(out)));
    return hash.hex();
  }

  private static String hash(byte[] content) throws IOException {
    return new ContentHash().add(new ByteArrayInputStream(content)).hex();
  }

  /** Whether there is a whole policy under a name, be it of an older format. */
  public static boolean exist(RunStore store, String name) throws IOException {
    return store.exists(name + "/" + SEAL) || formerVersion(store, name) > 0;
  }

  /** The version in a config.json of the time when it stood there, or 0. */
  private static int formerVersion(RunStore store, String name) throws IOException {
    if (!store.exists(name + "/" + CONFIG)) {
      return 0;
    }
    try (InputStream in = store.read(name + "/" + CONFIG)) {
      JsonNode config = Json.read(CONFIG, in, JsonNode.class);
      return config.path("version").asInt(config.has("chat") ? 1 : 0);
    } catch (InvalidInputException e) {
      return 0;
    }
  }

  /**
   * Reads a policy whose weights {@link #write} wrote.
   *
   * @throws InvalidInputException naming the file that is missing, was cut short or changed, or was
   *     written by another version
   */
  public static Policy read(RunStore store, String name, String engine, EngineOptions options) {
    try {
      Seal seal = seal(store, name);
      List.of(CONFIG, TOKENIZER, TOKENIZER_CONFIG)
          .forEach(file -> seal.files.putIfAbsent(file, ""));
      for (String file : seal.files.keySet()) {
        check(store, name, file, seal);
      }
      HuggingFaceModel model = HuggingFaceModel.open(store.local(name));
      Tokenizer tokenizer = new Tokenizer(text(store, name + "/" + TOKENIZER));
      List<Integer> ends = HuggingFaceModel.endTokens(store.local(name), seal.files.keySet());
      ChatTemplate chat = chat(seal, text(store, name + "/" + TOKENIZER_CONFIG), ends);
      return new Policy(EngineKind.of(engine).open(model, options), tokenizer, chat);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read policy " + store.location(name), e);
    }
  }

  /**
   * Reads a policy that was trained from another: its weights, or an adapter on the other's.
   *
   * @param reference what it was trained from
   * @param options how weights are opened; an adapter runs where the reference does
   * @throws InvalidInputException as {@link #read}, and if the adapter is of another reference
   */
  public static Policy readTrained(
      RunStore store, String name, Policy reference, EngineOptions options) {
    try {
      Seal seal = seal(store, name);
      if (!seal.files.containsKey(PeftAdapter.WEIGHTS)) {
        return read(store, name, reference.engine().kind(), options);
      }
      for (String file : List.of(PeftAdapter.CONFIG, PeftAdapter.WEIGHTS, TOKENIZER)) {
        check(store, name, file, seal);
      }
      String below = reference.engine().fingerprint();
      if (!below.equals(seal.base)) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "%s is an adapter of weights with fingerprint %s, the reference policy's are %s",
                store.location(name),
                seal.base,
                below));
      }
      return reference.adapted(PeftAdapter.read(store.local(name)));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read policy " + store.location(name), e);
    }
  }

  private static Seal seal(RunStore store, String name) throws IOException {
    String where = store.location(name + "/" + SEAL);
    try (InputStream in = store.read(name + "/" + SEAL)) {
      return SealedJson.read(where, in, Seal.class, VERSION, ADVICE);
    } catch (FileNotFoundException e) {
      int former = formerVersion(store, name);
      if (former > 0) {
        FormatVersion.require(store.location(name + "/" + CONFIG), former, VERSION, ADVICE);
      }
      throw new InvalidInputException(
          "no policy in " + store.location(name) + ": " + SEAL + " is missing", e);
    }
  }

  /** Refuses a file whose content is not what the seal says. */
  private static void check(RunStore store, String name, String file, Seal seal)
      throws IOException {
    String where = store.location(name + "/" + file);
    try (InputStream in = store.read(name + "/" + file)) {
      if (!new ContentHash().add(in).hex().equals(seal.files.get(file))) {
        throw new InvalidInputException(
            where + " was cut short or changed since it was written: " + ADVICE);
      }
    } catch (FileNotFoundException e) {
      throw new InvalidInputException(
          "no policy in " + store.location(name) + ": " + file + " is missing", e);
    }
  }

  private static String text(RunStore store, String name) throws IOException {
    try (InputStream in = store.read(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static ChatTemplate chat(Seal seal, String tokenizerConfig, List<Integer> endTokens)
      throws IOException {
    ChatTemplate chat =
        seal.chat.startsWith(HuggingFaceChat.NAME)
            ? new HuggingFaceChat(tokenizerConfig, arguments(seal), seal.system, endTokens)
            : new EpisodeMarks();
    if (!chat.name().equals(seal.chat)) {
      throw new InvalidInputException(
          "the policy's chat template is '"
              + seal.chat
              + "', this Vstar knows '"
              + chat.name()
              + "'");
    }
    return chat;
  }

  private static JsonNode arguments(Seal seal) throws IOException {
    String json = seal.arguments == null ? "{}" : seal.arguments;
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    return Json.read(SEAL, new ByteArrayInputStream(bytes), ObjectNode.class);
  }
}
