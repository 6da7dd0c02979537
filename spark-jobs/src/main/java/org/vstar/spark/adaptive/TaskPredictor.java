package org.vstar.spark.adaptive;

import static org.apache.spark.sql.functions.col;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.feature.HashingTF;
import org.apache.spark.ml.feature.RegexTokenizer;
import org.apache.spark.ml.feature.SQLTransformer;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.ml.regression.LinearRegression;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Predicts the mean weight of each task from what other tasks with such words and of such a
 * category gave: a pipeline of Spark MLlib that ends in a ridge regression, solved in one pass. A
 * task's own samples are never among those that its prediction is learned from (five folds); those
 * of the first fold choose how much the coefficients are held back.
 *
 * <p>Rows are in one partition and in the tasks' order, and words have hashed places, so that the
 * same samples give the same prediction whatever Spark runs on.
 */
public final class TaskPredictor {

  private static final int FOLDS = 5;

  /** Places of hashed categories. */
  private static final int KINDS = 1 << 6;

  /** Places of hashed words. */
  private static final int WORDS = 1 << 9;

  /** What the squares of the coefficients may cost: that which predicts the first fold best. */
  private static final double[] RIDGES = {3, 1, 0.3, 0.1};

  /** Below this digit, predictions would depend on the processor. */
  private static final double DIGITS = 1e6;

  /** Of a probability, of which the logarithm is taken. */
  private static final double LEAST = 1e-6;

  private static final StructType COLUMNS =
      new StructType()
          .add("index", DataTypes.IntegerType)
          .add("fold", DataTypes.IntegerType)
          .add("category", DataTypes.StringType)
          .add("prompt", DataTypes.StringType)
          .add("label", DataTypes.DoubleType)
          .add("weight", DataTypes.DoubleType);

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
    Dataset<Row> rows = features(tasks).cache();
    try {
      double[] best = new double[tasks.size()];
      double ridge = RIDGES[0];
      double least = Double.POSITIVE_INFINITY;
      for (double tried : RIDGES) {
        double[] predicted = new double[tasks.size()];
        predictFold(rows, 0, tried, tasks, predicted);
        double deviance = deviance(tasks, predicted);
        if (deviance < least) {
          least = deviance;
          ridge = tried;
          best = predicted;
        }
      }
      for (int fold = 1; fold < FOLDS; fold++) {
        predictFold(rows, fold, ridge, tasks, best);
      }
      return best;
    } finally {
      rows.unpersist();
    }
  }

  /** Of the first fold: −2 times the log-likelihood of what its tasks gave. */
  private static double deviance(List<TaskSamples> tasks, double[] predicted) {
    double deviance = 0;
    for (int i = 0; i < predicted.length; i += FOLDS) {
      TaskSamples task = tasks.get(i);
      double p = Math.max(LEAST, Math.min(1 - LEAST, predicted[i]));
      double lost = task.samples() - task.weights();
      deviance -= 2 * (task.weights() * Math.log(p) + lost * Math.log1p(-p));
    }
    return deviance;
  }

  /** Learns from the tasks of all other folds; where these have no samples, it is the mean. */
  private static void predictFold(
      Dataset<Row> rows, int fold, double ridge, List<TaskSamples> tasks, double[] predicted) {
    boolean learns = false;
    double samples = 0;
    double weights = 0;
    for (int i = 0; i < predicted.length; i++) {
      learns |= i % FOLDS != fold && tasks.get(i).samples() > 0;
      samples += tasks.get(i).samples();
      weights += tasks.get(i).weights();
    }
    if (!learns) {
      for (int i = fold; i < predicted.length; i += FOLDS) {
        predicted[i] = weights / samples;
      }
      return;
    }
    var model =
        new LinearRegression()
            .setSolver("normal")
            .setWeightCol("weight")
            .setRegParam(ridge)
            .fit(rows.where(col("fold").notEqual(fold).and(col("weight").gt(0))));
    Dataset<Row> own = rows.where(col("fold").equalTo(fold));
    for (Row row : model.transform(own).select("index", "prediction").collectAsList()) {
      double mean = Math.max(0, Math.min(1, row.getDouble(1)));
      predicted[row.getInt(0)] = Math.rint(mean * DIGITS) / DIGITS;
    }
  }

  /** A row for each task; one without samples weighs nothing. */
  private Dataset<Row> features(List<TaskSamples> tasks) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      TaskSamples task = tasks.get(i);
      rows.add(
          RowFactory.create(
              i, i % FOLDS, task.category(), task.prompt(), task.mean(), (double) task.samples()));
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
    return pipeline.transform(plain).select("index", "fold", "label", "weight", "features");
  }
}
