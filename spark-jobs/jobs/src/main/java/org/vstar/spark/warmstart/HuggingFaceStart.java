package org.vstar.spark.warmstart;

import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.model.chat.HuggingFaceChat;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.checkpoint.TokenizerFiles;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.spark.run.HuggingFaceSource;
import org.vstar.spark.run.RunConfig;

/**
 * What a warm start of a policy in Hugging Face's layout begins with.
 *
 * @param model the model's folder, or null for one that is drawn
 */
record HuggingFaceStart(Path model, Tokenizer tokenizer, HuggingFaceChat chat) {

  /**
   * Reads the tokenizer and its template.
   *
   * @param environment says what the system's message is where the config does not
   * @param resolve where a path of the config is
   * @throws org.vstar.common.InvalidInputException if there is none, or it is damaged
   */
  static HuggingFaceStart of(
      RunConfig config, Environment environment, Function<String, Path> resolve) {
    HuggingFaceSource source = config.policy().huggingFace();
    Path folder = resolve.apply(source.tokenizerFolder());
    Path model = source.model() == null ? null : resolve.apply(source.model());
    if (model != null) {
      source.requireThere(model);
    }
    return new HuggingFaceStart(
        model, TokenizerFiles.tokenizer(folder), source.chat(folder, model, environment));
  }

  /**
   * Refuses a model that does not know all of the tokenizer's ids, and a template that is not fit
   * for an agent, before anything is copied.
   */
  void requireFitting() {
    int known = HuggingFaceModel.open(model).vocabulary();
    if (tokenizer.size() > known) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "the tokenizer has ids up to %d, the model knows those below %d",
              tokenizer.size() - 1,
              known));
    }
    chat.stopTokens(tokenizer);
    chat.observation(tokenizer, "an observation", false);
  }

  /** The policy, with the driver's machine to itself. */
  Policy policy(RunConfig config, EngineOptions options, long seed) {
    WeightSource weights = model == null ? drawn(config, seed) : HuggingFaceModel.open(model);
    return new Policy(
        EngineKind.of(config.compute().engine()).open(weights, options), tokenizer, chat);
  }

  private WeightSource drawn(RunConfig config, long seed) {
    return config
        .policy()
        .warmStart()
        .initialization()
        .weights(config.policy().model(), tokenizer.numbers(), seed);
  }
}
