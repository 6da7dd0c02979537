package org.vstar.spark.bench;

import org.vstar.env.Environment;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;
import org.vstar.spark.run.RunConfig;

/** A policy that knows an environment's words and nothing else, made in a moment. */
public final class UntrainedPolicy {

  private static final double DEVIATION = 0.2;

  private UntrainedPolicy() {}

  /** One of the config's shape and seed. */
  public static Policy of(RunConfig config, Environment environment) {
    EpisodeMarks chat = new EpisodeMarks();
    Tokenizer tokenizer =
        new Tokenizer(
            WordVocabulary.build(
                environment.vocabularyText(), environment.answerFormat(), chat.marks()));
    float[] weights =
        new Initialization(DEVIATION, DEVIATION, false)
            .draw(config.policy().model(), tokenizer.size(), config.seed());
    FlatWeights source = new FlatWeights(config.policy().model(), tokenizer.size(), weights);
    return new Policy(
        EngineKind.of(config.compute().engine()).open(source, EngineOptions.ONE_THREAD),
        tokenizer,
        chat);
  }
}
