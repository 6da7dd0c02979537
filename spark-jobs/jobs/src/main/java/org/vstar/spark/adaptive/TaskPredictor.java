package org.vstar.spark.adaptive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.feature.HashingTF;
import org.apache.spark.ml.feature.RegexTokenizer;
import org.apache.spark.ml.feature.SQLTransformer;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.regression.LinearRegression;
import org.apache.spark.ml.regression.LinearRegressionModel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Predicts the mean weight of each task from what other tasks with such words and of such a
 * category gave: a pipeline of Spark MLlib that ends in a ridge regression, solved in one pass.
 * Tasks are in four folds, those of one cluster (goals of one product) in the same. A prediction is
 * learned from the three other folds, and so is the strength of its ridge: the samples of a task
 * and of its cluster move neither.
 *
 * <p>Rows of a fit are in one partition and in the tasks' order, and words have hashed places, so
 * that the same samples give the same prediction whatever Spark runs on.
 */
public final class TaskPredictor {

  private static final int FOLDS = 4;

  /** Places of hashed categories. */
  private static final int KINDS = 1 << 6;

  /** Places of hashed words. */
  private static final int WORDS = 1 << 9;

  /** The strengths of the ridge that are tried. */
  private static final double[] RIDGES = {3, 1, 0.3, 0.1};

  /** Below this digit, predictions would depend on the processor. */
  private static final double DIGITS = 1e6;

  /** Of a probability, of which the logarithm is taken. */
  private static final double LEAST = 1e-6;

  private static final StructType COLUMNS =
      new StructType()
          .add("category", DataTypes.StringType)
          .add("prompt", DataTypes.StringType)
          .add("label", DataTypes.DoubleType)
          .add("weight", DataTypes.DoubleType);

  /** Places of columns in a row of features. */
  private static final int WEIGHT = 1;

  private static final int FEATURES = 2;

  private final SparkSession spark;

  /** Uses a session. */
  public TaskPredictor(SparkSession spark) {
    this.spark = spark;
  }

  /**
   * Predicts.
   *
   * @param tasks with at least one sample among them
   * @return for each task its mean weight, 0 to 1
   */
  public double[] predict(List<TaskSamples> tasks) {
    int[] folds = folds(tasks);
    List<Row> rows = features(tasks);
    double[] predicted = new double[tasks.size()];
    Arrays.fill(predicted, mean(tasks));
    double[] ridges = ridges(rows, tasks, folds);
    for (int fold = 0; fold < FOLDS; fold++) {
      if (learns(tasks, folds, Set.of(fold))) {
        predict(rows, folds, Set.of(fold), ridges[fold], predicted);
      }
    }
    return predicted;
  }

  /** Tasks of one cluster are alike, so they share a fold. */
  private static int[] folds(List<TaskSamples> tasks) {
    Map<String, Integer> clusters = new HashMap<>();
    return tasks.stream()
        .mapToInt(t -> clusters.computeIfAbsent(t.task().cluster(), c -> clusters.size()) % FOLDS)
        .toArray();
  }

  private static double mean(List<TaskSamples> tasks) {
    double samples = tasks.stream().mapToDouble(TaskSamples::samples).sum();
    return tasks.stream().mapToDouble(TaskSamples::weights).sum() / samples;
  }

  private static boolean learns(List<TaskSamples> tasks, int[] folds, Set<Integer> without) {
    return IntStream.range(0, folds.length)
        .anyMatch(i -> !without.contains(folds[i]) && tasks.get(i).samples() > 0);
  }

  /**
   * The ridge for each fold: the one with which its partner, fold 1 for 0 and 0 for 1, is predicted
   * best from the folds that are neither. Partners share these models.
   */
  private double[] ridges(List<Row> rows, List<TaskSamples> tasks, int[] folds) {
    double[] best = new double[FOLDS];
    Arrays.fill(best, RIDGES[0]);
    for (int first = 0; first < FOLDS; first += 2) {
      Set<Integer> pair = Set.of(first, first + 1);
      double[] least = {Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY};
      for (double tried : learns(tasks, folds, pair) ? RIDGES : new double[0]) {
        double[] predicted = new double[tasks.size()];
        predict(rows, folds, pair, tried, predicted);
        for (int i = 0; i < 2; i++) {
          double deviance = deviance(tasks, folds, first + 1 - i, predicted);
          if (deviance < least[i]) {
            least[i] = deviance;
            best[first + i] = tried;
          }
        }
      }
    }
    return best;
  }

  /** Of a fold: −2 times the log-likelihood of what its tasks gave. */
  private static double deviance(
      List<TaskSamples> tasks, int[] folds, int fold, double[] predicted) {
    double deviance = 0;
    for (int i = 0; i < predicted.length; i++) {
      if (folds[i] == fold) {
        TaskSamples task = tasks.get(i);
        double p = Math.max(LEAST, Math.min(1 - LEAST, predicted[i]));
        double lost = task.samples() - task.weights();
        deviance -= 2 * (task.weights() * Math.log(p) + lost * Math.log1p(-p));
      }
    }
    return deviance;
  }

  /**
   * Predicts the tasks of some folds from those of all others. A dataset of the others' rows is
   * fitted faster than a filter over all of them, for which Spark would compile code each time.
   */
  private void predict(
      List<Row> rows, int[] folds, Set<Integer> which, double ridge, double[] predicted) {
    List<Row> others = new ArrayList<>();
    for (int i = 0; i < folds.length; i++) {
      if (!which.contains(folds[i]) && rows.get(i).getDouble(WEIGHT) > 0) {
        others.add(rows.get(i));
      }
    }
    LinearRegressionModel model =
        new LinearRegression()
            .setSolver("normal")
            .setWeightCol("weight")
            .setRegParam(ridge)
            .fit(spark.createDataFrame(others, rows.get(0).schema()).coalesce(1));
    for (int i = 0; i < folds.length; i++) {
      if (which.contains(folds[i])) {
        double value = model.predict((Vector) rows.get(i).get(FEATURES));
        predicted[i] = Math.rint(Math.max(0, Math.min(1, value)) * DIGITS) / DIGITS;
      }
    }
  }

  /** A row for each task; one without samples weighs nothing. */
  private List<Row> features(List<TaskSamples> tasks) {
    List<Row> rows = new ArrayList<>();
    for (TaskSamples task : tasks) {
      rows.add(
          RowFactory.create(
              task.task().category(), task.task().prompt(), task.mean(), (double) task.samples()));
    }
    Dataset<Row> plain = spark.createDataFrame(rows, COLUMNS).coalesce(1);
    PipelineModel pipeline =
        new Pipeline()
            .setStages(
                new PipelineStage[] {
                  new SQLTransformer()
                      .setStatement("SELECT *, array(category) AS kind FROM __THIS__"),
                  new HashingTF().setInputCol("kind").setOutputCol("kinds").setNumFeatures(KINDS),
                  new RegexTokenizer()
                      .setInputCol("prompt")
                      .setOutputCol("text")
                      .setPattern("(?U)\\W+"),
                  new HashingTF()
                      .setInputCol("text")
                      .setOutputCol("words")
                      .setNumFeatures(WORDS)
                      .setBinary(true),
                  new VectorAssembler()
                      .setInputCols(new String[] {"kinds", "words"})
                      .setOutputCol("features")
                })
            .fit(plain);
    return pipeline.transform(plain).select("label", "weight", "features").collectAsList();
  }
}
