package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.model.checkpoint.HuggingFaceConfig.Architecture;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.RopeScaling;

class HuggingFaceConfigTest {

  private static final String BASE =
      "{'hidden_size':64,'intermediate_size':160,'num_hidden_layers':2,'num_attention_heads':4,"
          + "'num_key_value_heads':2,'max_position_embeddings':512,'vocab_size':331,"
          + "'hidden_act':'silu','architectures':['ARCHForCausalLM']}";

  private static ObjectNode config(String architecture, String... more) {
    try {
      ObjectNode config =
          (ObjectNode) Json.MAPPER.readTree(BASE.replace("ARCH", architecture).replace('\'', '"'));
      for (String field : more) {
        JsonNode added = Json.MAPPER.readTree("{" + field.replace('\'', '"') + "}");
        config.setAll((ObjectNode) added);
      }
      return config;
    } catch (IOException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static HuggingFaceConfig read(ObjectNode config) {
    return HuggingFaceConfig.of("m/config.json", config);
  }

  private static void assertRefused(ObjectNode config, String... parts) {
    assertThatThrownBy(() -> read(config))
        .as(config.toString())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith("m/config.json: ")
        .hasMessageContainingAll(parts)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void eachArchitectureHasItsOwnBiasesNormsAndDefaults() {
    ModelConfig llama = read(config("Llama")).model();
    assertThat(llama.qkvBias() || llama.outputBias() || llama.headNorm()).isFalse();
    assertThat(llama.headWidth()).isEqualTo(16);
    assertThat(llama.ropeTheta()).isEqualTo(10_000);
    assertThat(llama.tied()).isFalse();
    ModelConfig biased = read(config("Llama", "'attention_bias':true", "'mlp_bias':true")).model();
    assertThat(biased.qkvBias() && biased.outputBias() && biased.feedForwardBias()).isTrue();
    ModelConfig qwen2 = read(config("Qwen2", "'sliding_window':4096")).model();
    assertThat(qwen2.qkvBias()).isTrue();
    assertThat(qwen2.outputBias()).isFalse();
    ModelConfig qwen3 = read(config("Qwen3", "'tie_word_embeddings':true")).model();
    assertThat(qwen3.headNorm() && qwen3.tied()).isTrue();
    assertThat(qwen3.headWidth()).isEqualTo(128);
    ModelConfig mistral = read(config("Mistral", "'head_dim':32", "'sliding_window':null")).model();
    assertThat(mistral.headWidth()).isEqualTo(32);
    assertThat(read(config("Mistral")).architecture()).isEqualTo(Architecture.MISTRAL);
  }

  @Test
  void ropeIsReadInTheOldAndTheNewSpelling() {
    String rule =
        "{'rope_type':'llama3','factor':8.0,'low_freq_factor':1.0,'high_freq_factor':4.0,"
            + "'original_max_position_embeddings':128";
    RopeScaling llama3 = new RopeScaling(RopeScaling.Kind.LLAMA3, 8, 1.0, 4.0, 128);
    ModelConfig old =
        read(config("Llama", "'rope_scaling':" + rule + "}", "'rope_theta':500000.0")).model();
    assertThat(old.ropeScaling()).isEqualTo(llama3);
    ModelConfig now =
        read(config("Llama", "'rope_parameters':" + rule + ",'rope_theta':500000.0}")).model();
    assertThat(now).isEqualTo(old);
    assertThat(
            read(config("Llama", "'rope_scaling':{'type':'linear','factor':2}"))
                .model()
                .ropeScaling())
        .isEqualTo(RopeScaling.linear(2));
  }

  @Test
  void whatIsNotSupportedIsNamedByItsField() {
    assertRefused(config("Gemma2"), "'architectures'", "LlamaForCausalLM");
    assertRefused(config("Llama", "'hidden_act':'gelu'"), "'hidden_act' is \"gelu\"", "silu");
    assertRefused(config("Mistral", "'sliding_window':256"), "'sliding_window' is 256", "null");
    assertRefused(config("Qwen2", "'use_sliding_window':true"), "'use_sliding_window'");
    assertRefused(config("Qwen2", "'attention_bias':false"), "'attention_bias'");
    assertRefused(config("Mistral", "'attention_bias':true"), "'attention_bias'");
    assertRefused(config("Qwen3", "'mlp_bias':true"), "'mlp_bias'");
    assertRefused(
        config("Llama", "'rope_scaling':{'rope_type':'yarn','factor':4}"),
        "'rope_scaling'",
        "yarn");
    assertRefused(
        config("Llama", "'rope_scaling':{'rope_type':'linear','factor':4,'x':1}"),
        "'rope_scaling.x'");
    assertRefused(config("Llama", "'rope_scaling':{'rope_type':'linear'}"), "factor");
    assertRefused(config("Llama", "'quantization_config':{'bits':4}"), "'quantization_config'");
    assertRefused(config("Llama", "'logit_scale':0.5"), "'logit_scale' (0.5) is not known");
    assertRefused(config("Llama", "'torch_dtype':'float64'"), "'torch_dtype'", "bfloat16");
    assertRefused(config("Qwen3", "'layer_types':['full_attention','x']"), "'layer_types'");
    assertRefused(config("Llama", "'hidden_size':null"), "'hidden_size' is missing");
    assertRefused(config("Llama", "'vocab_size':'many'"), "'vocab_size' is \"many\"");
    assertRefused(config("Llama", "'num_attention_heads':5"), "'num_attention_heads' is 5");
    assertRefused(config("Llama", "'num_key_value_heads':3"), "kvHeads");
    assertRefused(config("Llama", "'head_dim':15"), "headWidth");
  }

  @Test
  void whatIsWrittenReadsBackAsTheSameModel() {
    for (ModelConfig model :
        List.of(
            new ModelConfig(2, 32, 2, 1, 48, 64, 500, 1e-5, false),
            new ModelConfig(2, 32, 2, 1, 48, 64, 500, 1e-5, true),
            read(config("Qwen3", "'head_dim':24")).model(),
            read(config("Llama", "'attention_bias':true", "'mlp_bias':true")).model(),
            read(config("Llama", "'rope_scaling':{'type':'linear','factor':2}")).model())) {
      HuggingFaceConfig written = HuggingFaceConfig.of(model, 77, List.of(3));
      HuggingFaceConfig read = read(written.json());
      assertThat(read).isEqualTo(written);
      assertThat(read.type()).isEqualTo(DType.FLOAT32);
    }
  }
}
