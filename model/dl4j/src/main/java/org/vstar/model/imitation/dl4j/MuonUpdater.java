package org.vstar.model.imitation.dl4j;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.GradientUpdater;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.vector.Muon;

/** {@link Muon} as DL4J wants it: its state is averaged with the replicas' parameters. */
final class MuonUpdater implements IUpdater {

  private static final long serialVersionUID = 1L;

  /** The transformer's shape and the optimizer, as JSON. */
  @JsonProperty private String shape;

  @JsonProperty private String optimizer;
  @JsonProperty private int vocabulary;
  @JsonProperty private int totalSteps;

  /** For DL4J, which reads and copies configurations as JSON. */
  MuonUpdater() {}

  MuonUpdater(ModelConfig shape, int vocabulary, OptimizerConfig optimizer, int steps) {
    this.shape = RecordJson.write(shape);
    this.optimizer = RecordJson.write(optimizer);
    this.vocabulary = vocabulary;
    this.totalSteps = steps;
  }

  private OptimizerConfig optimizer() {
    return RecordJson.read(optimizer, OptimizerConfig.class);
  }

  @Override
  public long stateSize(long parameters) {
    return 2 * parameters;
  }

  @Override
  public GradientUpdater<MuonUpdater> instantiate(INDArray state, boolean initialize) {
    Step step = new Step(this);
    step.setStateViewArray(state, null, 'c', initialize);
    return step;
  }

  @Override
  public GradientUpdater<MuonUpdater> instantiate(Map<String, INDArray> state, boolean initialize) {
    Step step = new Step(this);
    step.setState(state, initialize);
    return step;
  }

  /** Itself: it never changes. */
  @Override
  public IUpdater clone() {
    return this;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MuonUpdater that && fields().equals(that.fields());
  }

  @Override
  public int hashCode() {
    return fields().hashCode();
  }

  private List<Object> fields() {
    return List.of(shape, optimizer, vocabulary, totalSteps);
  }

  @Override
  public double getLearningRate(int iteration, int epoch) {
    return optimizer().rate(iteration, totalSteps);
  }

  @Override
  public boolean hasLearningRate() {
    return true;
  }

  @Override
  public void setLrAndSchedule(double rate, ISchedule schedule) {
    throw new UnsupportedOperationException("the rate is the optimizer's");
  }

  /**
   * Its two running means stand one behind the other in the state. The squares of matrices stay 0.
   */
  private static final class Step implements GradientUpdater<MuonUpdater> {

    private static final String STATE = "means";

    private final MuonUpdater config;
    private final OptimizerConfig optimizer;
    private final Muon muon;
    private INDArray state;

    Step(MuonUpdater config) {
      this.config = config;
      this.optimizer = config.optimizer();
      ModelConfig shape = RecordJson.read(config.shape, ModelConfig.class);
      this.muon = new Muon(shape, config.vocabulary, optimizer);
    }

    @Override
    public MuonUpdater getConfig() {
      return config;
    }

    @Override
    public void setState(Map<String, INDArray> named, boolean initialize) {
      setStateViewArray(named.get(STATE), null, 'c', initialize);
    }

    @Override
    public Map<String, INDArray> getState() {
      return Map.of(STATE, state);
    }

    @Override
    public void setStateViewArray(INDArray view, long[] shape, char order, boolean initialize) {
      if (initialize) {
        view.assign(0);
      }
      state = view;
    }

    @Override
    public void applyUpdater(INDArray gradient, int iteration, int epoch) {
      int n = muon.size();
      float[] values = gradient.toFloatVector();
      float[] means = state.toFloatVector();
      float[] mean = Arrays.copyOf(means, n);
      float[] square = Arrays.copyOfRange(means, n, 2 * n);
      double rate = optimizer.rate(iteration, config.totalSteps);
      muon.step(values, mean, square, iteration + 1, rate);
      System.arraycopy(mean, 0, means, 0, n);
      System.arraycopy(square, 0, means, n, n);
      state.assign(Nd4j.create(means, state.shape()));
      gradient.assign(Nd4j.create(values, gradient.shape()));
    }
  }
}
