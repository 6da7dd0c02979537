package org.vstar.model.engine.nd4j;

import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.vstar.model.engine.AdamWRule;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.MuonRule;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.TensorSource;

/**
 * {@link AdamWRule}, and {@link MuonRule} for the matrices of the blocks where the config has a
 * momentum; norm gains and biases are not decayed.
 */
final class ArrayOptimizer implements Optimizer {

  private final OptimizerConfig config;
  private final Parameters trained;
  private final Parameters mean;
  private final Parameters square;
  private int steps;

  ArrayOptimizer(OptimizerConfig config, Parameters trained) {
    this.config = config;
    this.trained = trained;
    this.mean = trained.zeros();
    this.square = trained.zeros();
  }

  @Override
  public void step(Gradient gradient, double rate) {
    steps++;
    AdamWRule rule = AdamWRule.of(config, steps, rate);
    Parameters gradients = ((ArrayGradient) gradient).values();
    for (TensorSource.Tensor shape : trained.shapes()) {
      try (MemoryWorkspace memory = Workspaces.pass()) {
        if (config.muon() && MuonRule.steps(shape)) {
          muonStep(shape, gradients, rate);
          continue;
        }
        step(shape, gradients, rule);
      }
    }
  }

  private void step(TensorSource.Tensor shape, Parameters gradients, AdamWRule rule) {
    double beta1 = config.adamBeta1();
    double beta2 = config.adamBeta2();
    INDArray w = trained.get(shape.name());
    INDArray g = gradients.get(shape.name());
    INDArray m = mean.get(shape.name());
    INDArray v = square.get(shape.name());
    m.muli(beta1).addi(g.mul(1 - beta1));
    v.muli(beta2).addi(g.mul(g).muli(1 - beta2));
    if (shape.isMatrix()) {
      w.muli(rule.kept());
    }
    INDArray scale = Transforms.sqrt(v, true).addi(rule.epsilon());
    w.subi(m.div(scale).muli(rule.stepSize()));
  }

  private void muonStep(TensorSource.Tensor shape, Parameters gradients, double rate) {
    double momentum = config.momentum();
    INDArray w = trained.get(shape.name());
    INDArray g = gradients.get(shape.name());
    INDArray m = mean.get(shape.name());
    m.muli(momentum).addi(g.mul(1 - momentum));
    INDArray x = m.mul(momentum).addi(g.mul(1 - momentum));
    boolean tall = shape.rows() > shape.columns();
    INDArray orthogonal = orthogonalized(tall ? x.transpose().dup('c') : x);
    w.muli(1 - rate * config.weightDecay());
    double size = rate * MuonRule.size(shape.rows(), shape.columns());
    w.subi((tall ? orthogonal.transpose() : orthogonal).mul(size));
  }

  private static INDArray orthogonalized(INDArray matrix) {
    INDArray x = matrix.div(matrix.norm2Number().doubleValue() + MuonRule.TINY);
    for (int step = 0; step < MuonRule.STEPS; step++) {
      INDArray gram = Products.productTransposed(x, x);
      INDArray polynomial =
          Products.product(gram, gram).muli(MuonRule.C).addi(gram.mul(MuonRule.B));
      x = Products.product(polynomial, x).addi(x.mul(MuonRule.A));
    }
    return x;
  }

  @Override
  public int steps() {
    return steps;
  }

  @Override
  public TensorSource moments() {
    return TensorSource.joined(mean.source(AdamWRule.MEAN), square.source(AdamWRule.SQUARE));
  }

  @Override
  public void restore(int stepsTaken, TensorSource moments) {
    mean.load(moments, AdamWRule.MEAN);
    square.load(moments, AdamWRule.SQUARE);
    steps = stepsTaken;
  }

  @Override
  public void close() {
    mean.close();
    square.close();
  }
}
