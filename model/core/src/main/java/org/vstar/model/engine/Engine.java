package org.vstar.model.engine;

import java.util.Optional;
import org.vstar.common.Experimental;

/**
 * One model on one device. The parameters may be changed by an {@link Optimizer} between calls, not
 * during one. Generators and scorers of an engine see the change.
 */
@Experimental
public interface Engine extends AutoCloseable {

  /** The name of its {@link EngineKind}. */
  String kind();

  /** The model's shape. */
  ModelConfig config();

  /** Number of token ids, 0 to this minus 1. */
  int vocabulary();

  /**
   * By how much a log-probability that a {@link Generator} gave can differ from the {@link
   * Scorer}'s. 0 means never, to the last bit: what sampling kept can then be trained with as it
   * is.
   */
  double logProbTolerance();

  /** Content hash of the shape and of every parameter, and of an adapter; engines agree on it. */
  default String fingerprint() {
    return adapter()
        .map(adapter -> adapter.fingerprint(base().orElseThrow().fingerprint()))
        .orElseGet(() -> weights().fingerprint());
  }

  /**
   * Makes a generator, to be used by one thread.
   *
   * @param slots sequences that grow side by side
   */
  Generator generator(int slots);

  /**
   * Makes a scorer, to be used by one thread.
   *
   * @param temperature what logits are divided by, above 0: the policy is the distribution that is
   *     sampled from
   */
  Scorer scorer(double temperature);

  /** Makes a gradient of zeros. */
  Gradient gradient();

  /** Makes an optimizer that has taken no steps. */
  Optimizer optimizer(OptimizerConfig config);

  /**
   * The same model with parameters (or, if it is adapted, an adapter) of its own: it can be trained
   * while this one stays frozen.
   */
  Engine copy();

  /**
   * The same model with an adapter that is trained in place of its parameters. The two share those,
   * so that this engine, whose adapter is none, can be the reference at no cost; it must stay open,
   * and must not be trained, as long as the other is used.
   *
   * @throws org.vstar.common.InvalidInputException if the adapter does not fit the model
   */
  Engine adapted(Adapter adapter);

  /** The adapter, as it is now, if this is an adapted model. */
  Optional<Adapter> adapter();

  /** The engine that {@link #adapted} was called of, if this is an adapted model. */
  Optional<Engine> base();

  /** The parameters, to be read before they change; an adapter is merged into them. */
  WeightSource weights();

  @Override
  void close();
}
