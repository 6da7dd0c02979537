package org.vstar.model.imitation.dl4j;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.bytedeco.javacpp.FloatPointer;
import org.deeplearning4j.nn.api.layers.IOutputLayer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.BaseLayer;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.DataSet;
import org.nd4j.linalg.dataset.api.iterator.DataSetIterator;
import org.nd4j.linalg.factory.Nd4j;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.vector.MicroBatchScorer;
import org.vstar.model.engine.vector.Transformer;
import org.vstar.model.engine.vector.VectorGradient;

/** What {@link LanguageModelLayer} configures: forward and backward by {@link MicroBatchScorer}. */
final class LanguageModel extends BaseLayer<LanguageModelLayer> implements IOutputLayer {

  private static final long serialVersionUID = 1L;

  private final transient float[] weights;
  private final transient MicroBatchScorer scorer;
  private final transient Transformer transformer;
  private transient INDArray labels;

  LanguageModel(NeuralNetConfiguration conf, DataType type) {
    super(conf, type);
    LanguageModelLayer layer = (LanguageModelLayer) conf.getLayer();
    weights = new float[(int) layer.initializer().numParams(layer)];
    transformer = layer.transformer(weights);
    scorer = new MicroBatchScorer(transformer, 1);
  }

  private static List<Sequence> sequences(INDArray input, INDArray labels) {
    if (input.rank() != 3 || input.size(0) != 1) {
      throw new IllegalArgumentException(
          "a minibatch is one example of rank 3: " + input.shapeInfoToString());
    }
    float[][] tokens = input.slice(0).toFloatMatrix();
    float[][] trained = labels.slice(0).toFloatMatrix();
    List<Sequence> sequences = new ArrayList<>();
    for (int i = 0; i < tokens.length; i++) {
      int length = 0;
      while (length < tokens[i].length && tokens[i][length] >= 0) {
        length++;
      }
      int[] ids = new int[length];
      BitSet agent = new BitSet();
      for (int t = 0; t < length; t++) {
        ids[t] = (int) tokens[i][t];
        agent.set(t, trained[i][t] != 0);
      }
      sequences.add(new Sequence(ids, agent, List.of()));
    }
    return sequences;
  }

  /** Scores the minibatch under DL4J's present parameters; also fills {@code score}. */
  private float[] forward() {
    floats(paramsFlattened).get(weights);
    transformer.weightsChanged();
    float[] logProbabilities = scorer.logProbabilities(sequences(input, labels));
    double sum = 0;
    for (float p : logProbabilities) {
      sum -= p;
    }
    score = sum / Math.max(1, logProbabilities.length);
    return logProbabilities;
  }

  /** Where a vector's values are: DL4J's own ways to read and write many go through each alone. */
  private static FloatPointer floats(INDArray vector) {
    return (FloatPointer) vector.data().addressPointer();
  }

  @Override
  public Pair<Gradient, INDArray> backpropGradient(INDArray epsilon, LayerWorkspaceMgr mgr) {
    float[] logProbGradient = forward();
    java.util.Arrays.fill(logProbGradient, -1f / Math.max(1, logProbGradient.length));
    float[] gradient = new float[weights.length];
    scorer.addGradient(logProbGradient, gradient);
    VectorGradient.clip(gradient, layerConf().clipNorm());
    floats(gradientsFlattened).put(gradient);
    Gradient result = new DefaultGradient();
    gradientViews.forEach((name, part) -> result.gradientForVariable().put(name, part));
    return new Pair<>(result, null);
  }

  @Override
  public double computeScore(double regularization, boolean training, LayerWorkspaceMgr mgr) {
    if (!training) {
      forward();
    }
    return score + regularization;
  }

  @Override
  public INDArray computeScoreForExamples(double regularization, LayerWorkspaceMgr mgr) {
    double sum = 0;
    for (float p : forward()) {
      sum -= p;
    }
    return Nd4j.create(new float[] {(float) sum}, new long[] {1, 1});
  }

  @Override
  public INDArray activate(boolean training, LayerWorkspaceMgr mgr) {
    return computeScoreForExamples(0, mgr);
  }

  @Override
  public void setLabels(INDArray newLabels) {
    labels = newLabels;
  }

  @Override
  public INDArray getLabels() {
    return labels;
  }

  @Override
  public boolean needsLabels() {
    return true;
  }

  @Override
  public boolean isPretrainLayer() {
    return false;
  }

  @Override
  public double f1Score(DataSet data) {
    throw notAClassifier();
  }

  @Override
  public double f1Score(INDArray examples, INDArray newLabels) {
    throw notAClassifier();
  }

  @Override
  @Deprecated
  public int numLabels() {
    return layerConf().vocabulary();
  }

  @Override
  public void fit(DataSetIterator iterator) {
    throw notAClassifier();
  }

  @Override
  public int[] predict(INDArray examples) {
    throw notAClassifier();
  }

  @Override
  public List<String> predict(DataSet dataSet) {
    throw notAClassifier();
  }

  @Override
  public void fit(INDArray examples, INDArray newLabels) {
    throw notAClassifier();
  }

  @Override
  public void fit(DataSet data) {
    throw notAClassifier();
  }

  @Override
  public void fit(INDArray examples, int[] newLabels) {
    throw notAClassifier();
  }

  private static UnsupportedOperationException notAClassifier() {
    return new UnsupportedOperationException("a language model is trained through its network");
  }
}
