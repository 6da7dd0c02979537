package org.vstar.spark.bench;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.Adapter;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.WeightSource;

/**
 * No model at all: what would be a model's work is a wait of as many seconds as were measured of
 * one, and tokens are drawn evenly. It shows what a V* job of any size asks of a cluster's driver,
 * its disks and its scheduling, without the processors. It cannot be trained.
 */
public final class SimulatedEngine implements Engine {

  /** Its name in configs. */
  public static final String KIND = "simulated";

  /**
   * The JVM's property that says how long a call takes: seconds for the call, and for each token in
   * it, as {@code 0.02+0.0001}.
   */
  public static final String SECONDS = "vstar.simulated.seconds";

  private static final long SHORTEST_WAIT = 1_000_000;

  /** Makes {@code simulated} known. */
  public static final class Kind implements EngineKind {
    @Override
    public String kind() {
      return KIND;
    }

    @Override
    public Engine open(WeightSource weights, EngineOptions options) {
      return new SimulatedEngine(weights, Cost.of(System.getProperty(SECONDS, "0+0")));
    }
  }

  /** How long a call takes, in seconds. */
  private record Cost(double call, double token) {
    static Cost of(String text) {
      String[] parts = text.split("\\+");
      try {
        if (parts.length == 2) {
          return new Cost(Double.parseDouble(parts[0]), Double.parseDouble(parts[1]));
        }
      } catch (NumberFormatException e) {
        // Said below.
      }
      throw new InvalidInputException(
          SECONDS + " is '" + text + "', expected seconds a call and a token: 0.02+0.0001");
    }
  }

  private final WeightSource weights;
  private final Cost cost;

  private SimulatedEngine(WeightSource weights, Cost cost) {
    this.weights = weights;
    this.cost = cost;
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public ModelConfig config() {
    return weights.config();
  }

  @Override
  public int vocabulary() {
    return weights.vocabulary();
  }

  @Override
  public double logProbTolerance() {
    return Double.POSITIVE_INFINITY;
  }

  /** Not that of the weights: what is drawn here must not pass for the model's own. */
  @Override
  public String fingerprint() {
    return new ContentHash().add(KIND).add(weights.fingerprint()).hex();
  }

  @Override
  public Generator generator(int slots) {
    return new Waiting();
  }

  /** Draws at once and waits for what is due, in pieces that a machine can wait for. */
  private final class Waiting implements Generator {
    private long due;

    @Override
    public void reset(int slot) {
      // Nothing is kept of a sequence.
    }

    @Override
    public List<Draw> extend(List<Extension> extensions, List<Choice> choices) {
      int tokens = extensions.stream().mapToInt(e -> e.tokens().length).sum();
      due += (long) ((cost.call + cost.token * tokens) * 1e9);
      if (due > SHORTEST_WAIT) {
        long from = System.nanoTime();
        LockSupport.parkNanos(due);
        due -= System.nanoTime() - from;
      }
      return choices.stream().map(this::draw).toList();
    }

    private Draw draw(Choice choice) {
      BitSet allowed = choice.allowed();
      int count = allowed == null ? vocabulary() : allowed.cardinality();
      int which = (int) (choice.u() * count);
      int token = which;
      if (allowed != null) {
        token = allowed.nextSetBit(0);
        for (; which > 0; which--) {
          token = allowed.nextSetBit(token + 1);
        }
      }
      return new Draw(token, (float) -Math.log(count));
    }

    @Override
    public void close() {
      // Nothing is held.
    }
  }

  private static UnsupportedOperationException noModel() {
    return new UnsupportedOperationException("engine: simulated has no model that could be scored");
  }

  @Override
  public Scorer scorer(double temperature) {
    throw noModel();
  }

  @Override
  public Gradient gradient() {
    throw noModel();
  }

  @Override
  public Optimizer optimizer(OptimizerConfig config) {
    throw noModel();
  }

  @Override
  public Engine copy() {
    return this;
  }

  @Override
  public Engine adapted(Adapter adapter) {
    throw noModel();
  }

  @Override
  public Optional<Adapter> adapter() {
    return Optional.empty();
  }

  @Override
  public Optional<Engine> base() {
    return Optional.empty();
  }

  @Override
  public WeightSource weights() {
    return weights;
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
