package org.vstar.model.imitation.dl4j;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.api.ParamInitializer;
import org.deeplearning4j.nn.conf.MultiLayerConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.memory.LayerMemoryReport;
import org.deeplearning4j.nn.conf.memory.MemoryReport;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.shade.jackson.annotation.JsonProperty;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.vector.Transformer;
import org.vstar.model.weights.ParameterLayout;

/**
 * The transformer as a DeepLearning4J layer, so that DL4J's Spark training can train it: its one
 * parameter is the flat vector, and its loss is −ln π of the tokens that are trained on.
 *
 * <p>A minibatch is one example to DL4J, 1 × sequences × time: token ids, padded with −1, and
 * labels of the same shape: 1 where a token is trained on, else 0. DL4J's Spark training cuts and
 * merges minibatches until each has as many examples as it was told, and an episode may become no
 * sequence or several; so were sequences its examples, it would mix minibatches.
 */
public final class LanguageModelLayer extends FeedForwardLayer {

  private static final long serialVersionUID = 1L;
  private static final String WEIGHTS = "W";

  @JsonProperty private String transformer;
  @JsonProperty private int vocabulary;
  @JsonProperty private double clipNorm;

  /** For DL4J, which reads and copies configurations as JSON. */
  LanguageModelLayer() {}

  private LanguageModelLayer(Builder builder) {
    super(builder);
    this.transformer = RecordJson.write(builder.shape);
    this.vocabulary = builder.tokens;
    this.clipNorm = builder.maxNorm;
  }

  /** DL4J's way of making layers. */
  private static final class Builder extends FeedForwardLayer.Builder<Builder> {
    private final ModelConfig shape;
    private final int tokens;
    private final double maxNorm;

    Builder(ModelConfig shape, int tokens, double clipNorm) {
      this.shape = shape;
      this.tokens = tokens;
      this.maxNorm = clipNorm;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <E extends org.deeplearning4j.nn.conf.layers.Layer> E build() {
      return (E) new LanguageModelLayer(this);
    }
  }

  /**
   * A DL4J network of this one layer.
   *
   * @param weights where it starts; copied
   * @param updater {@link #updater}
   * @param clipNorm what a minibatch's gradient is clipped to
   */
  public static MultiLayerNetwork network(
      ModelConfig shape,
      int vocabulary,
      float[] weights,
      IUpdater updater,
      double clipNorm,
      long seed) {
    MultiLayerConfiguration conf =
        new NeuralNetConfiguration.Builder()
            .seed(seed)
            .dataType(DataType.FLOAT)
            .miniBatch(false)
            .trainingWorkspaceMode(WorkspaceMode.NONE)
            .inferenceWorkspaceMode(WorkspaceMode.NONE)
            .updater(updater)
            .list()
            .layer(new LanguageModelLayer(new Builder(shape, vocabulary, clipNorm)))
            .build();
    MultiLayerNetwork network = new MultiLayerNetwork(conf);
    network.init(Nd4j.create(weights.clone(), new long[] {1, weights.length}), false);
    return network;
  }

  /**
   * DL4J's Adam, or {@link org.vstar.model.engine.vector.Muon} in DL4J, with our schedule.
   *
   * @param optimizer betas, epsilon, momentum and schedule; a weight decay has no effect
   * @param totalSteps iterations of each worker, for the schedule
   */
  public static IUpdater updater(
      ModelConfig shape, int vocabulary, OptimizerConfig optimizer, int totalSteps) {
    return optimizer.muon()
        ? new MuonUpdater(shape, vocabulary, optimizer, totalSteps)
        : new Adam.Builder()
            .learningRateSchedule(new RateSchedule(optimizer, totalSteps))
            .beta1(optimizer.adamBeta1())
            .beta2(optimizer.adamBeta2())
            .epsilon(optimizer.epsilon())
            .build();
  }

  ModelConfig shape() {
    return RecordJson.read(transformer, ModelConfig.class);
  }

  int vocabulary() {
    return vocabulary;
  }

  /** What a minibatch's gradient is clipped to. */
  double clipNorm() {
    return clipNorm;
  }

  @Override
  public Layer instantiate(
      NeuralNetConfiguration conf,
      Collection<TrainingListener> listeners,
      int layerIndex,
      INDArray parameters,
      boolean initialize,
      DataType type) {
    LanguageModel layer = new LanguageModel(conf, type);
    layer.setListeners(listeners);
    layer.setIndex(layerIndex);
    layer.setParamsViewArray(parameters);
    layer.setParamTable(initializer().init(conf, parameters, initialize));
    layer.setConf(conf);
    return layer;
  }

  @Override
  public ParamInitializer initializer() {
    return new FlatVector();
  }

  @Override
  public InputType getOutputType(int layerIndex, InputType inputType) {
    return InputType.feedForward(1);
  }

  @Override
  public LayerMemoryReport getMemoryReport(InputType inputType) {
    long size = initializer().numParams(this);
    return new LayerMemoryReport.Builder(
            layerName, LanguageModelLayer.class, inputType, InputType.feedForward(1))
        .standardMemory(size, 2 * size)
        .workingMemory(0, 0, 0, 0)
        .cacheMemory(MemoryReport.CACHE_MODE_ALL_ZEROS, MemoryReport.CACHE_MODE_ALL_ZEROS)
        .build();
  }

  /** All parameters are one vector, as DL4J keeps them anyway. */
  private static final class FlatVector implements ParamInitializer {

    @Override
    public long numParams(NeuralNetConfiguration conf) {
      return numParams(conf.getLayer());
    }

    @Override
    public long numParams(org.deeplearning4j.nn.conf.layers.Layer layer) {
      LanguageModelLayer model = (LanguageModelLayer) layer;
      return new ParameterLayout(model.shape(), model.vocabulary).size();
    }

    @Override
    public List<String> paramKeys(org.deeplearning4j.nn.conf.layers.Layer layer) {
      return List.of(WEIGHTS);
    }

    @Override
    public List<String> weightKeys(org.deeplearning4j.nn.conf.layers.Layer layer) {
      return List.of(WEIGHTS);
    }

    @Override
    public List<String> biasKeys(org.deeplearning4j.nn.conf.layers.Layer layer) {
      return List.of();
    }

    @Override
    public boolean isWeightParam(org.deeplearning4j.nn.conf.layers.Layer layer, String key) {
      return key.equals(WEIGHTS);
    }

    @Override
    public boolean isBiasParam(org.deeplearning4j.nn.conf.layers.Layer layer, String key) {
      return false;
    }

    @Override
    public Map<String, INDArray> init(
        NeuralNetConfiguration conf, INDArray view, boolean initialize) {
      conf.addVariable(WEIGHTS);
      if (initialize) {
        throw new IllegalStateException("the transformer's parameters are given, not drawn here");
      }
      return new HashMap<>(Map.of(WEIGHTS, view));
    }

    @Override
    public Map<String, INDArray> getGradientsFromFlattened(
        NeuralNetConfiguration conf, INDArray gradient) {
      return new HashMap<>(Map.of(WEIGHTS, gradient));
    }
  }

  /**
   * A minibatch.
   *
   * @param sequences at least one
   */
  public static DataSet dataSet(List<Sequence> sequences) {
    int longest = sequences.stream().mapToInt(s -> s.tokens().length).max().orElseThrow();
    float[][][] tokens = new float[1][sequences.size()][longest];
    float[][][] trained = new float[1][sequences.size()][longest];
    for (int i = 0; i < sequences.size(); i++) {
      Sequence s = sequences.get(i);
      for (int t = 0; t < longest; t++) {
        tokens[0][i][t] = t < s.tokens().length ? s.tokens()[t] : -1;
        trained[0][i][t] = s.agent().get(t) ? 1 : 0;
      }
    }
    return new DataSet(Nd4j.createFromArray(tokens), Nd4j.createFromArray(trained));
  }

  /** Hands the parameters out of a trained network. */
  public static float[] weights(MultiLayerNetwork network) {
    return network.params().toFloatVector();
  }

  /** What a network's updater remembers of the gradients so far: one vector, a copy. */
  public static TensorSource moments(MultiLayerNetwork network) {
    return new Moments(network.getUpdater().getStateViewArray().toFloatVector());
  }

  /**
   * Has a network go on from where its {@link #moments} were taken.
   *
   * @param steps the minibatches that each replica has had
   * @throws org.vstar.common.InvalidInputException if the moments are another model's or updater's
   */
  public static void restore(MultiLayerNetwork network, int steps, TensorSource moments) {
    INDArray state = network.getUpdater().getStateViewArray();
    float[] values = new float[(int) state.length()];
    moments.read(Moments.tensor(values.length), values, 0);
    state.assign(Nd4j.create(values, state.shape()));
    network.getLayerWiseConfigurations().setIterationCount(steps);
  }

  private record Moments(float[] values) implements TensorSource {
    static Tensor tensor(int size) {
      return Tensor.vector("updater", size);
    }

    @Override
    public List<Tensor> tensors() {
      return List.of(tensor(values.length));
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      System.arraycopy(values, 0, into, offset, tensor.size());
    }
  }

  /** The transformer over some parameters. */
  Transformer transformer(float[] weights) {
    return new Transformer(shape(), vocabulary, weights);
  }
}
