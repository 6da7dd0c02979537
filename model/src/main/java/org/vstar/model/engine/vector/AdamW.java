package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.List;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.vector.ParameterLayout.Slice;

/** AdamW (arXiv 1711.05101) on a transformer's parameters; biases and gains are not decayed. */
final class AdamW implements Optimizer {

  private static final String MEAN = "mean.";
  private static final String SQUARE = "square.";

  private final Transformer transformer;
  private final ParameterLayout layout;
  private final OptimizerConfig config;

  /** Running means of the gradient and of its square. */
  private final float[] mean;

  private final float[] square;
  private int steps;

  AdamW(Transformer transformer, OptimizerConfig config) {
    this.transformer = transformer;
    this.layout = transformer.layout();
    this.config = config;
    this.mean = new float[layout.size()];
    this.square = new float[layout.size()];
  }

  @Override
  public void step(Gradient gradient, double rate) {
    steps++;
    double root = Math.sqrt(1 - StrictMath.pow(config.adamBeta2(), steps));
    double stepSize = rate * root / (1 - StrictMath.pow(config.adamBeta1(), steps));
    for (Slice t : layout.slices()) {
      double decay = t.isMatrix() ? 1 - rate * config.weightDecay() : 1;
      Kernels.adamw(
          transformer.weights(),
          ((VectorGradient) gradient).values(),
          mean,
          square,
          t.offset(),
          t.size(),
          (float) config.adamBeta1(),
          (float) config.adamBeta2(),
          (float) stepSize,
          (float) (config.epsilon() * root),
          (float) decay);
    }
    transformer.weightsChanged();
  }

  @Override
  public int steps() {
    return steps;
  }

  /** Both moments; names are those of the parameters behind {@code mean.} and {@code square.}. */
  private record Moments(ParameterLayout layout, float[] mean, float[] square)
      implements TensorSource {

    @Override
    public List<Tensor> tensors() {
      List<Tensor> tensors = new ArrayList<>();
      for (String moment : List.of(MEAN, SQUARE)) {
        layout.tensors().forEach(tensor -> tensors.add(tensor.named(moment + tensor.name())));
      }
      return tensors;
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      String moment = tensor.name().startsWith(MEAN) ? MEAN : SQUARE;
      float[] from = moment.equals(MEAN) ? mean : square;
      Tensor parameter = tensor.named(tensor.name().substring(moment.length()));
      layout.read(from, parameter, into, offset);
    }
  }

  @Override
  public TensorSource moments() {
    return new Moments(layout, mean.clone(), square.clone());
  }

  @Override
  public void restore(int stepsTaken, TensorSource moments) {
    layout.fill(mean, moments, MEAN);
    layout.fill(square, moments, SQUARE);
    steps = stepsTaken;
  }

  @Override
  public void close() {
    // The arrays are the garbage collector's.
  }
}
