package org.vstar.model.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.TensorSource;

/**
 * An adapter as PEFT writes and reads it: {@code adapter_config.json} and {@code
 * adapter_model.safetensors}. A setting of PEFT's that would change what is computed, and that is
 * not known here, is an error that names it.
 */
public final class PeftAdapter {

  /** The file of the settings. */
  public static final String CONFIG = "adapter_config.json";

  /** The file of the tensors. */
  public static final String WEIGHTS = "adapter_model.safetensors";

  /** What PEFT puts before the names of a causal model's modules. */
  private static final String PREFIX = "base_model.model.";

  private static final String ALL = "all-linear";

  /** A projection of a layer by its path. */
  private static final Pattern MODULE =
      Pattern.compile("^model\\.layers\\.[0-9]+\\.(?:self_attn|mlp)\\.(\\w+)$");

  /** Settings that change nothing here: bookkeeping, and what only the start or dropout uses. */
  private static final Set<String> HARMLESS =
      Set.of(
          "auto_mapping",
          "base_model_name_or_path",
          "inference_mode",
          "lora_dropout",
          "revision",
          "task_type",
          "peft_version",
          "qalora_group_size",
          "megatron_core",
          "runtime_config",
          "ensure_weight_tying");

  /**
   * Starts of an adapter that leave the model below as it is. Others (pissa, olora, corda, loftq)
   * take what the adapter begins with from the weights below, so that the adapter is of a model
   * that no file has.
   */
  private static final Set<String> STARTS =
      Set.of("true", "false", "gaussian", "eva", "orthogonal");

  /** Settings that have to be as here, null or empty, if they are there. */
  private static final Set<String> MUST_BE_UNSET =
      Set.of(
          "alpha_pattern",
          "rank_pattern",
          "layers_pattern",
          "layers_to_transform",
          "modules_to_save",
          "exclude_modules",
          "megatron_config",
          "loftq_config",
          "eva_config",
          "corda_config",
          "arrow_config",
          "alora_invocation_tokens",
          "target_parameters",
          "trainable_token_indices",
          "layer_replication",
          "use_dora",
          "use_qalora",
          "lora_bias",
          "fan_in_fan_out");

  private PeftAdapter() {}

  /**
   * Reads an adapter.
   *
   * @throws InvalidInputException naming the file or the setting that is missing or not supported
   */
  public static Adapter read(Path folder) {
    Path file = folder.resolve(CONFIG);
    try (InputStream in = Files.newInputStream(file)) {
      LoraConfig lora = lora(file.toString(), Json.read(file.toString(), in, ObjectNode.class));
      return new Adapter(lora, new Named(Safetensors.open(folder.resolve(WEIGHTS))));
    } catch (NoSuchFileException e) {
      throw new InvalidInputException(
          "no adapter in " + folder + ": " + Path.of(e.getFile()).getFileName() + " is missing", e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read the adapter in " + folder, e);
    }
  }

  private static LoraConfig lora(String where, ObjectNode config) {
    require(where, config, "peft_type", config.path("peft_type").asText().equals("LORA"), "LORA");
    String bias = config.path("bias").asText("none");
    require(where, config, "bias", bias.equals("none"), "none");
    String start = config.path("init_lora_weights").asText("true");
    require(
        where,
        config,
        "init_lora_weights",
        config.path("init_lora_weights").isNull() || STARTS.contains(start),
        "one of "
            + new TreeSet<>(STARTS)
            + ": with another the adapter belongs to weights that PEFT changed when it began; save"
            + " it with save_pretrained(…, path_initial_model_for_weight_conversion=…) first");
    config
        .properties()
        .forEach(
            field -> {
              String name = field.getKey();
              boolean unset = isUnset(field.getValue());
              boolean known =
                  Set.of(
                          "peft_type",
                          "bias",
                          "init_lora_weights",
                          "r",
                          "lora_alpha",
                          "use_rslora",
                          "target_modules")
                      .contains(name);
              if (MUST_BE_UNSET.contains(name)) {
                require(
                    where, config, name, unset || name.startsWith("qalora"), "it not to be set");
              } else if (!known && !HARMLESS.contains(name) && !unset) {
                require(where, config, name, false, "only what Vstar knows");
              }
            });
    require(where, config, "r", config.path("r").isInt(), "a whole number");
    require(where, config, "lora_alpha", config.path("lora_alpha").isNumber(), "a number");
    int rank = config.path("r").asInt();
    double alpha = config.path("lora_alpha").asDouble();
    try {
      // rsLoRA (arXiv 2312.03732) scales B·A by alpha / √r where LoRA does by alpha / r.
      return new LoraConfig(
          rank,
          config.path("use_rslora").asBoolean() ? alpha * Math.sqrt(rank) : alpha,
          targets(where, config));
    } catch (InvalidInputException e) {
      throw new InvalidInputException(where + ": " + e.getMessage(), e);
    }
  }

  private static boolean isUnset(JsonNode value) {
    return value.isNull()
        || value.isContainerNode() && value.isEmpty()
        || value.isBoolean() && !value.asBoolean();
  }

  private static void require(
      String where, ObjectNode config, String field, boolean fits, String expected) {
    if (!fits) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s: '%s' is %s, expected %s",
              where,
              field,
              config.get(field),
              expected));
    }
  }

  private static List<String> targets(String where, ObjectNode config) {
    JsonNode targets = config.path("target_modules");
    if (targets.asText().equals(ALL)) {
      return Arrays.stream(Projection.values()).map(Projection::shortName).toList();
    }
    require(where, config, "target_modules", targets.isArray(), "a list of names");
    // For all-linear PEFT writes each module with its path. Whether it is there in each layer, the
    // tensors tell.
    Set<String> names = new LinkedHashSet<>();
    targets.forEach(target -> names.add(MODULE.matcher(target.asText()).replaceFirst("$1")));
    return List.copyOf(names);
  }

  /** The tensors of a file without what PEFT puts before their names. */
  private record Named(Safetensors file) implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return file.tensors().stream()
          .map(
              tensor ->
                  tensor.name().startsWith(PREFIX)
                      ? tensor.named(tensor.name().substring(PREFIX.length()))
                      : tensor)
          .toList();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      file.read(tensor.named(PREFIX + tensor.name()), into, offset);
    }
  }

  /** The tensors under PEFT's names. */
  private record Prefixed(TensorSource tensorsOfAdapter) implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return tensorsOfAdapter.tensors().stream()
          .map(tensor -> tensor.named(PREFIX + tensor.name()))
          .toList();
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      tensorsOfAdapter.read(tensor.named(tensor.name().substring(PREFIX.length())), into, offset);
    }
  }

  /** Writes {@code adapter_model.safetensors}. */
  static void writeTensors(Adapter adapter, OutputStream out) throws IOException {
    Safetensors.write(new Prefixed(adapter.tensors()), out);
  }

  /**
   * The content of {@code adapter_config.json}.
   *
   * @param base where the model below is, as PEFT is to find it
   */
  static String config(LoraConfig lora, String base) {
    ObjectNode json = Json.MAPPER.createObjectNode();
    json.put("peft_type", "LORA");
    json.put("task_type", "CAUSAL_LM");
    json.put("base_model_name_or_path", base);
    json.put("r", lora.rank());
    json.put("lora_alpha", lora.alpha());
    json.put("lora_dropout", 0.0);
    json.put("bias", "none");
    json.put("fan_in_fan_out", false);
    json.put("inference_mode", true);
    lora.targets().forEach(json.putArray("target_modules")::add);
    return json.toPrettyString();
  }
}
