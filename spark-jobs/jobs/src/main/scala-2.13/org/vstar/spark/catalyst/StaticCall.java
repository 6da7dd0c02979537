package org.vstar.spark.catalyst;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;

/** Calls of Java in queries. */
public final class StaticCall {

  private StaticCall() {}

  /**
   * A call of a public static method that gives a double, the same of the same arguments.
   *
   * @param nullable whether it is NULL, and not called, if an argument is
   */
  public static Expression of(
      Class<?> owner, String method, boolean nullable, List<Expression> arguments) {
    return new StaticInvoke(
        owner,
        DataTypes.DoubleType,
        method,
        ScalaLists.seq(arguments),
        ScalaLists.seq(List.of()),
        nullable,
        nullable,
        true,
        Option.empty());
  }
}
