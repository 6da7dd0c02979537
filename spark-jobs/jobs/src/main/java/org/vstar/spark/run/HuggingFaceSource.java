package org.vstar.spark.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.OptionalKey;
import org.vstar.env.Environment;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.checkpoint.TokenizerFiles;

/**
 * A policy in Hugging Face's layout, with its own tokenizer and chat template. Paths are relative
 * to the config file.
 *
 * @param model the model's folder; without it one of the shape of section {@code model} is drawn as
 *     {@code warmStart.initialization} says
 * @param howToGet the commands that make the model's folder, which the error says where it is
 *     missing; nothing without it
 * @param tokenizer folder of {@code tokenizer.json}, packed with gzip or not, and {@code
 *     tokenizer_config.json}; the model's without it
 * @param system what the system's message says; the environment's without it, if it has one
 * @param templateArguments what else the chat template is given, {@code {enable_thinking: false}}
 *     for example; nothing without it
 */
public record HuggingFaceSource(
    @OptionalKey String model,
    @OptionalKey String howToGet,
    @OptionalKey String tokenizer,
    @OptionalKey String system,
    @OptionalKey Map<String, Object> templateArguments) {

  /** Checks that there is a tokenizer. */
  public HuggingFaceSource {
    InvalidInputException.require(
        model != null || tokenizer != null,
        "huggingFace.tokenizer",
        "not there",
        "a folder where there is no huggingFace.model");
    templateArguments = Objects.requireNonNullElse(templateArguments, Map.of());
  }

  /**
   * Refuses a model that is not there, with the commands that get it.
   *
   * @param folder the model's, as this machine calls it
   */
  public void requireThere(Path folder) {
    if (howToGet != null && !Files.isDirectory(folder)) {
      throw new InvalidInputException(
          "huggingFace.model: " + folder + " does not exist; get it with: " + howToGet);
    }
  }

  /** The folder of the tokenizer. */
  public String tokenizerFolder() {
    return tokenizer == null ? model : tokenizer;
  }

  /**
   * The chat template.
   *
   * @param folder the tokenizer's
   * @param model the model's, which may name more tokens that end an answer, or null
   * @param environment says what the system's message is where the config does not
   * @throws InvalidInputException if the tokenizer's folder has none
   */
  public HuggingFaceChat chat(Path folder, Path model, Environment environment) {
    return new HuggingFaceChat(
        TokenizerFiles.config(folder),
        Json.MAPPER.valueToTree(templateArguments),
        system == null ? environment.systemMessage().orElse(null) : system,
        model == null ? List.of() : HuggingFaceModel.endTokens(model));
  }
}
