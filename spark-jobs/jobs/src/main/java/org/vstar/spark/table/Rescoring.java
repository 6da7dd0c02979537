package org.vstar.spark.table;

import static org.apache.spark.sql.functions.abs;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.isnan;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.catalyst.ScalaLists;

/**
 * Another rule for what an episode was worth, in SQL over the columns of {@code samples}.
 *
 * @param reward the return, a number; {@code return} keeps the stored one
 * @param success true or false; {@code success} keeps the stored one
 */
public record Rescoring(String reward, String success) {

  /** The rule as part of what a table's hash is taken of. */
  CanonicalJson canonical() {
    return CanonicalJson.of("rescoring", 1).with("reward", reward).with("success", success);
  }

  /**
   * The samples under this rule: task_id, sample_index, return, success.
   *
   * @throws InvalidInputException if the rule is no such expression, or has no value for a sample
   */
  Dataset<Row> of(Dataset<Row> samples) {
    Column worth = column("--reward", reward, "a number", NumericType.class::isInstance, samples);
    Column succeeded =
        column("--success", success, "true or false", BooleanType.class::isInstance, samples);
    Dataset<Row> scored =
        samples.select(
            col("task_id"),
            col("sample_index"),
            worth.cast("double").as("return"),
            succeeded.as("success"));
    requireValues(scored);
    return scored;
  }

  private static Column column(
      String option, String text, String wanted, Predicate<DataType> type, Dataset<Row> samples) {
    try {
      Column column = expr(text);
      Dataset<Row> values = samples.select(column);
      DataType found = values.schema().fields()[0].dataType();
      if (values.schema().size() != 1 || !type.test(found)) {
        throw refused(option, text, "it is " + found.sql() + ", expected " + wanted);
      }
      LogicalPlan plan = values.queryExecution().analyzed();
      boolean ofOneSample = plan instanceof Project;
      for (Expression part : ScalaLists.list(plan.expressions())) {
        ofOneSample &= part.deterministic() && !SubqueryExpression.hasSubquery(part);
      }
      if (!ofOneSample) {
        throw refused(
            option,
            text,
            "expected what depends on the columns of one sample alone: no aggregate, window, query"
                + " or random number");
      }
      return column;
    } catch (Exception e) {
      // Spark throws its checked exceptions without declaring them.
      if (e instanceof AnalysisException) {
        throw refused(
            option,
            text,
            e.getMessage().lines().filter(line -> !line.isBlank()).findFirst().orElse(""));
      }
      throw e;
    }
  }

  private static InvalidInputException refused(String option, String text, String why) {
    return new InvalidInputException(
        String.format(Locale.ROOT, "%s is '%s': %s", option, text, why));
  }

  private void requireValues(Dataset<Row> scored) {
    Column odd =
        col("return")
            .isNull()
            .or(isnan(col("return")))
            .or(abs(col("return")).equalTo(Double.POSITIVE_INFINITY))
            .or(col("success").isNull());
    List<Row> first = scored.where(odd).orderBy("task_id", "sample_index").takeAsList(1);
    if (!first.isEmpty()) {
      Row row = first.get(0);
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "--reward '%s' is %s and --success '%s' is %s for task %s, sample %d, expected a"
                  + " finite number, and true or false",
              reward,
              row.get(2),
              success,
              row.get(3),
              row.get(0),
              row.getInt(1)));
    }
  }
}
