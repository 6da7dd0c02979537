package org.vstar.spark.catalyst;

import java.util.function.Function;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.Seq;

/**
 * A statistic as an expression of Spark's own kind: aggregated in parts, and compiled into the code
 * of the query. An immutable {@code Seq} is what Spark 4 asks for, and one of those that Spark 3
 * does.
 */
public final class GroupAggregate extends DeclarativeAggregate {

  private static final long serialVersionUID = 1L;

  private final GroupStatistic statistic;

  /** Makes one. */
  public GroupAggregate(GroupStatistic statistic) {
    this.statistic = statistic;
  }

  private <T> Seq<T> kept(Function<GroupStatistic.Kept, T> part) {
    return ScalaLists.seq(statistic.kept().stream().map(part).toList());
  }

  @Override
  public Seq<AttributeReference> aggBufferAttributes() {
    return kept(GroupStatistic.Kept::here);
  }

  @Override
  public Seq<AttributeReference> inputAggBufferAttributes() {
    return kept(GroupStatistic.Kept::there);
  }

  @Override
  public Seq<Expression> initialValues() {
    return kept(GroupStatistic.Kept::initial);
  }

  @Override
  public Seq<Expression> updateExpressions() {
    return kept(GroupStatistic.Kept::update);
  }

  @Override
  public Seq<Expression> mergeExpressions() {
    return kept(GroupStatistic.Kept::merge);
  }

  @Override
  public Expression evaluateExpression() {
    return statistic.result();
  }

  @Override
  public Seq<Expression> children() {
    return ScalaLists.seq(statistic.arguments());
  }

  /** Overrides Spark 3's; Spark 4 has the other. */
  public Expression withNewChildrenInternal(scala.collection.IndexedSeq<Expression> children) {
    return new GroupAggregate(statistic.of(ScalaLists.list(children)));
  }

  /** Overrides Spark 4's. */
  public Expression withNewChildrenInternal(
      scala.collection.immutable.IndexedSeq<Expression> children) {
    return new GroupAggregate(statistic.of(ScalaLists.list(children)));
  }

  @Override
  public DataType dataType() {
    return DataTypes.DoubleType;
  }

  @Override
  public boolean nullable() {
    return true;
  }

  @Override
  public String prettyName() {
    return statistic.name();
  }

  @Override
  public int productArity() {
    return 1;
  }

  @Override
  public Object productElement(int i) {
    return statistic;
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof GroupAggregate;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof GroupAggregate it && statistic.equals(it.statistic);
  }

  @Override
  public int hashCode() {
    return statistic.hashCode();
  }
}
