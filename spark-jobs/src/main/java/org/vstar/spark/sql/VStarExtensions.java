package org.vstar.spark.sql;

import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.expressions.UserDefinedAggregator;
import org.vstar.common.InvalidInputException;
import scala.Option;
import scala.Tuple3;
import scala.collection.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Adds {@code vstar(return, beta1)} to Spark SQL. Set {@code spark.sql.extensions} to this class's
 * name, and put Vstar's jars on the class path.
 */
public final class VStarExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {

  private static final String NAME = "vstar";
  private static final int ARGUMENTS = 2;

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectFunction(
        new Tuple3<>(
            new FunctionIdentifier(NAME),
            new ExpressionInfo(VStarAggregator.class.getName(), NAME),
            new AbstractFunction1<Seq<Expression>, Expression>() {
              @Override
              public Expression apply(Seq<Expression> arguments) {
                return aggregate(arguments);
              }
            }));
    return BoxedUnit.UNIT;
  }

  private static Expression aggregate(Seq<Expression> arguments) {
    if (arguments.size() != ARGUMENTS) {
      throw new InvalidInputException(
          "vstar(return, beta1) takes 2 arguments, " + arguments.size() + " were given");
    }
    return new UserDefinedAggregator<>(
            new VStarAggregator(),
            Encoders.tuple(Encoders.DOUBLE(), Encoders.DOUBLE()),
            Option.apply(NAME),
            true,
            true)
        .scalaAggregator(arguments.toSeq());
  }
}
