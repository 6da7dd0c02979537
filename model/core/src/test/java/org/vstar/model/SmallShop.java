package org.vstar.model;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.webshoplite.Catalogue;
import org.vstar.env.webshoplite.Rewards;
import org.vstar.env.webshoplite.WebShopLiteEnvironment;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.VectorEngine;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Request;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;

/** The true small shop and an untrained small policy for it. */
public final class SmallShop {

  public static final ModelConfig SHAPE = new ModelConfig(2, 32, 2, 1, 32, 512, 500, 1e-5, false);

  /** Answers have the form and legal actions, though the policy knows nothing. */
  public static final SamplingConfig CONSTRAINED = new SamplingConfig(1, 1, 16, true, true);

  public static final SamplingConfig FREE = new SamplingConfig(1, 1, 8, true, false);

  private SmallShop() {}

  public static Environment environment() {
    Catalogue catalogue = Catalogue.read(Path.of("../../datasets/webshop-lite/catalogue.jsonl"));
    return new WebShopLiteEnvironment(catalogue, Rewards.preset("shaped"), 100, 50, 6);
  }

  public static Policy policy(Environment environment, long seed) {
    return policy(environment, seed, SHAPE.context(), EngineOptions.ONE_THREAD);
  }

  public static Policy policy(
      Environment environment, long seed, int context, EngineOptions options) {
    ModelConfig shape = new ModelConfig(2, 32, 2, 1, 32, context, 500, 1e-5, false);
    EpisodeMarks chat = new EpisodeMarks();
    Tokenizer tokenizer =
        new Tokenizer(
            WordVocabulary.build(
                environment.vocabularyText(), environment.answerFormat(), chat.marks()));
    float[] weights = new Initialization(0.2, 0.2, false).draw(shape, tokenizer.size(), seed);
    return new Policy(engine(shape, tokenizer.size(), weights, options), tokenizer, chat);
  }

  /** The vector engine over some weights. */
  public static Engine engine(
      ModelConfig shape, int vocabulary, float[] weights, EngineOptions options) {
    return EngineKind.of(VectorEngine.KIND)
        .open(new FlatWeights(shape, vocabulary, weights), options);
  }

  /** The parameters of a policy, as they are now. */
  public static float[] weights(Policy policy) {
    return FlatWeights.of(policy.engine().weights()).values();
  }

  public static List<Request> requests(Environment environment, int n) {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      requests.add(new Request(environment.tasks(Split.TRAIN).get(i), i % 3, 1000 + i));
    }
    return requests;
  }
}
