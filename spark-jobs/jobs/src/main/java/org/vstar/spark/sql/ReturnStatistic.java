package org.vstar.spark.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.vstar.spark.catalyst.GroupStatistic;
import org.vstar.spark.catalyst.ScalaLists;
import org.vstar.spark.catalyst.StaticCall;

/**
 * An aggregate over returns. NULL returns are left out; a group without others gives NULL. The
 * arithmetic is that of {@link Returns}.
 */
public final class ReturnStatistic implements GroupStatistic {

  private static final long serialVersionUID = 1L;

  private static final Literal NONE = Literal.create(0L, DataTypes.LongType);

  /** A constant β₁ from here on is treated as a column's is: its V* may be the mean. */
  private static final double HUGE = 1e100;

  private static final Literal ONE = Literal.create(1L, DataTypes.LongType);

  /** What is asked for. */
  public enum Kind {
    /** V* of the group. */
    VSTAR("vstar"),
    /** V*'s standard error by the delta method. */
    STANDARD_ERROR("vstar_se"),
    /** How many returns V* rests on. */
    EFFECTIVE_SAMPLE_SIZE("ess");

    private final String function;

    Kind(String function) {
      this.function = function;
    }

    /** Its name in SQL. */
    String function() {
      return function;
    }
  }

  private final Kind kind;
  private final Expression value;
  private final Expression beta1;
  private final List<Kept> kept = new ArrayList<>();
  private final Expression result;

  /**
   * Makes one.
   *
   * @param value the return, a double
   * @param beta1 a double, the same in all rows of a group
   */
  public ReturnStatistic(Kind kind, Expression value, Expression beta1) {
    this.kind = kind;
    this.value = value;
    this.beta1 = beta1;
    Expression defined = define();
    Expression empty = new EqualTo(kept.get(0).here(), NONE);
    this.result = new If(empty, Literal.create(null, DataTypes.DoubleType), defined);
  }

  private Expression define() {
    Kept n = keep("n", 0L, it -> new Add(it, ONE), Add::new);
    Expression b = isConstant() ? Literal.create(constant(), DataTypes.DoubleType) : keepBeta1(n);
    Kept max = keep("max", Double.NEGATIVE_INFINITY, it -> call("max", it, value), both("max"));
    // Not behind a condition, so that Spark evaluates it once for all that is kept.
    Expression ratio = call("ratio", max.here(), given(value), given(beta1));
    Expression joint = call("ratio", max.here(), max.there(), b);
    Kept sum = weights("sum", max, ratio, joint);
    if (kind == Kind.EFFECTIVE_SAMPLE_SIZE) {
      Kept squares = weights("squares", max, square(ratio), square(joint));
      return call("effectiveSampleSize", n.here(), sum.here(), squares.here(), b);
    }
    Kept min = keep("min", Double.POSITIVE_INFINITY, it -> call("min", it, value), both("min"));
    if (kind == Kind.VSTAR) {
      Kept less =
          keep(
              "less",
              0.0,
              it -> call("addLess", n.here(), it, max.here(), value, beta1),
              (it, other) ->
                  call("joinLess", n.here(), it, max.here(), n.there(), other, max.there(), b));
      return isConstant()
          ? call("vstarOf", n.here(), max.here(), min.here(), sum.here(), less.here(), b)
          : call(
              "vstar",
              n.here(),
              max.here(),
              min.here(),
              total().here(),
              sum.here(),
              less.here(),
              b);
    }
    Kept total = total();
    Kept squares = weights("squares", max, square(ratio), square(joint));
    Kept deviation =
        keep(
            "deviation",
            0.0,
            it -> call("addDeviation", n.here(), it, total.here(), value),
            (it, other) ->
                call(
                    "joinDeviations", n.here(), it, total.here(), n.there(), other, total.there()));
    return call(
        "standardError",
        n.here(),
        max.here(),
        min.here(),
        deviation.here(),
        sum.here(),
        squares.here(),
        b);
  }

  /** Whether β₁ is one number that needs no check of the rows. */
  private boolean isConstant() {
    return beta1.foldable() && constant() instanceof Double number && number > 0 && number < HUGE;
  }

  private Object constant() {
    return beta1.eval(InternalRow.empty());
  }

  /** β₁ that may stand in a column, and must be the same in all rows of a group. */
  private Expression keepBeta1(Kept n) {
    Expression some = new If(new IsNull(beta1), call("noBeta1"), beta1);
    return keep(
            "beta1",
            0.0,
            it -> call("sameBeta1", n.here(), it, some),
            (it, other) -> call("joinBeta1", n.here(), it, n.there(), other))
        .here();
  }

  private Kept total() {
    return keep("total", 0.0, it -> new Add(it, value), Add::new);
  }

  /** What is given, or a number where it is NULL: a call would be NULL for a NULL among numbers. */
  private static Expression given(Expression number) {
    return new Coalesce(ScalaLists.seq(List.of(number, Literal.create(0.0, DataTypes.DoubleType))));
  }

  /** Σw or Σw², given what a return or another part counts. */
  private Kept weights(String name, Kept max, Expression ratio, Expression joint) {
    return keepEvenOfNull(
        name,
        0.0,
        it -> call("addWeight", new IsNull(value), it, max.here(), given(value), ratio),
        (it, other) -> call("joinWeights", it, max.here(), other, max.there(), joint));
  }

  private Kept keep(
      String name,
      Object initial,
      UnaryOperator<Expression> update,
      BinaryOperator<Expression> merge) {
    return keepEvenOfNull(
        name, initial, it -> new If(new IsNull(value), it, update.apply(it)), merge);
  }

  private Kept keepEvenOfNull(
      String name,
      Object initial,
      UnaryOperator<Expression> update,
      BinaryOperator<Expression> merge) {
    DataType type = initial instanceof Long ? DataTypes.LongType : DataTypes.DoubleType;
    Literal literal = Literal.create(initial, type);
    AttributeReference here = attribute(name, type);
    AttributeReference there = attribute(name, type);
    Kept one = new Kept(here, there, literal, update.apply(here), merge.apply(here, there));
    kept.add(one);
    return one;
  }

  private static AttributeReference attribute(String name, DataType type) {
    return new AttributeReference(
        name,
        type,
        false,
        Metadata.empty(),
        NamedExpression.newExprId(),
        ScalaLists.seq(List.of()));
  }

  private static BinaryOperator<Expression> both(String method) {
    return (it, other) -> call(method, it, other);
  }

  private static Expression square(Expression x) {
    return new Multiply(x, x);
  }

  private static Expression call(String method, Expression... arguments) {
    return StaticCall.of(Returns.class, method, false, List.of(arguments));
  }

  @Override
  public String name() {
    return kind.function();
  }

  @Override
  public List<Expression> arguments() {
    return List.of(value, beta1);
  }

  @Override
  public GroupStatistic of(List<Expression> arguments) {
    return new ReturnStatistic(kind, arguments.get(0), arguments.get(1));
  }

  @Override
  public List<Kept> kept() {
    return List.copyOf(kept);
  }

  @Override
  public Expression result() {
    return result;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ReturnStatistic it
        && kind == it.kind
        && value.equals(it.value)
        && beta1.equals(it.beta1);
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, value, beta1);
  }

  @Override
  public String toString() {
    return value + ", " + beta1;
  }
}
