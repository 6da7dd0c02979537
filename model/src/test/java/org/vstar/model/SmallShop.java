package org.vstar.model;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.shop.Catalogue;
import org.vstar.env.shop.Shop;
import org.vstar.env.shop.ShopRewards;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.Sampling;
import org.vstar.model.rollout.Rollouts.Request;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.model.transformer.Initialization;
import org.vstar.model.transformer.Transformer;
import org.vstar.model.transformer.TransformerConfig;

/** The true small shop and an untrained small policy for it. */
public final class SmallShop {

  public static final TransformerConfig SHAPE =
      new TransformerConfig(2, 32, 2, 1, 32, 512, 500, 1e-5, false);

  /** Answers have the form and legal actions, though the policy knows nothing. */
  public static final Sampling CONSTRAINED = new Sampling(1, 1, 16, true, true);

  public static final Sampling FREE = new Sampling(1, 1, 8, true, false);

  private SmallShop() {}

  public static Environment environment() {
    Catalogue catalogue = Catalogue.read(Path.of("../datasets/webshop-lite/catalogue.jsonl"));
    return new Shop(catalogue, ShopRewards.preset("shaped"), 100, 6);
  }

  public static Policy policy(Environment environment, long seed) {
    return policy(environment, seed, SHAPE.context());
  }

  public static Policy policy(Environment environment, long seed, int context) {
    TransformerConfig shape = new TransformerConfig(2, 32, 2, 1, 32, context, 500, 1e-5, false);
    Tokenizer tokenizer =
        new Tokenizer(WordVocabulary.build(environment.text(), environment.answers()));
    float[] weights = new Initialization(0.2, 0.2, false).draw(shape, tokenizer.size(), seed);
    return new Policy(tokenizer, new Transformer(shape, tokenizer.size(), weights));
  }

  public static List<Request> requests(Environment environment, int n) {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      requests.add(new Request(environment.tasks(Split.TRAIN).get(i), i % 3, 1000 + i));
    }
    return requests;
  }
}
