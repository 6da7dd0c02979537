package org.vstar.spark.sql;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Cast$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.catalyst.GroupAggregate;
import org.vstar.spark.catalyst.ScalaLists;
import org.vstar.spark.catalyst.StaticCall;
import org.vstar.spark.sql.ReturnStatistic.Kind;
import scala.Tuple3;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Vstar's functions in Spark SQL. Set {@code spark.sql.extensions} to this class's name, and put
 * Vstar's jars on the class path.
 *
 * <table>
 *   <caption>Functions</caption>
 *   <tr><td>{@code vstar(return, beta1)}</td>
 *       <td>aggregate: β₁ ln mean exp(return/β₁), the mean for β₁ = 0</td></tr>
 *   <tr><td>{@code vstar_se(return, beta1)}</td>
 *       <td>aggregate: its standard error by the delta method, NaN for one return; no error bar
 *       for few samples, see the columns of the table</td></tr>
 *   <tr><td>{@code ess(return, beta1)}</td>
 *       <td>aggregate: (Σw)²/Σw² with w = exp(return/β₁), how many returns V* rests on</td></tr>
 *   <tr><td>{@code wilson_low(successes, n)}, {@code wilson_high(successes, n)}</td>
 *       <td>Wilson's 95 % interval of a rate</td></tr>
 *   <tr><td>{@code pass_at_k(n, c, k)}</td>
 *       <td>that one of k of n samples, of which c succeeded, succeeds</td></tr>
 * </table>
 *
 * <p>All leave NULL out or answer it with NULL. A return of −∞ has weight 0, and NaN gives NaN.
 */
public final class VStarExtensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    for (Kind kind : Kind.values()) {
      inject(
          extensions,
          kind.function(),
          List.of("return", "beta1"),
          of -> new GroupAggregate(new ReturnStatistic(kind, cast(of.get(0)), cast(of.get(1)))));
    }
    for (String[] rate :
        new String[][] {{"wilson_low", "wilsonLow"}, {"wilson_high", "wilsonHigh"}}) {
      inject(
          extensions,
          rate[0],
          List.of("successes", "n"),
          of -> rate(rate[1], DataTypes.DoubleType, of));
    }
    inject(
        extensions,
        "pass_at_k",
        List.of("n", "c", "k"),
        of -> rate("passAtK", DataTypes.LongType, of));
    return BoxedUnit.UNIT;
  }

  private static void inject(
      SparkSessionExtensions extensions,
      String name,
      List<String> parameters,
      Function<List<Expression>, Expression> function) {
    extensions.injectFunction(
        new Tuple3<>(
            new FunctionIdentifier(name),
            new ExpressionInfo(VStarExtensions.class.getName(), name),
            ScalaLists.function(
                given -> {
                  if (given.size() != parameters.size()) {
                    throw new InvalidInputException(
                        String.format(
                            Locale.ROOT,
                            "%s(%s) takes %d arguments, %d were given",
                            name,
                            String.join(", ", parameters),
                            parameters.size(),
                            given.size()));
                  }
                  return function.apply(given);
                })));
  }

  private static Expression cast(Expression argument) {
    return cast(argument, DataTypes.DoubleType);
  }

  private static Expression cast(Expression argument, DataType type) {
    return Cast$.MODULE$.apply(argument, type, SQLConf.get().ansiEnabled());
  }

  /** A method of {@link Rates}, whose arguments are of one type; NULL if one of them is. */
  private static Expression rate(String method, DataType type, List<Expression> arguments) {
    List<Expression> cast = arguments.stream().map(argument -> cast(argument, type)).toList();
    return StaticCall.of(Rates.class, method, true, cast);
  }
}
