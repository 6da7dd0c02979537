package org.vstar.spark.catalyst;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;

/**
 * A double that is computed of a group's rows by expressions, in parts that are merged. Two are
 * equal if they compute the same of the same arguments.
 */
public interface GroupStatistic extends Serializable {

  /**
   * A number that is kept of each group.
   *
   * @param here of the rows so far
   * @param there of another part of the rows, when parts are merged
   * @param initial of no rows
   * @param update of the rows so far and one more
   * @param merge of both parts
   */
  record Kept(
      AttributeReference here,
      AttributeReference there,
      Literal initial,
      Expression update,
      Expression merge)
      implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /** Its name in SQL. */
  String name();

  /** What it is computed of. */
  List<Expression> arguments();

  /** The same of other arguments. */
  GroupStatistic of(List<Expression> arguments);

  /** What is kept of each group. */
  List<Kept> kept();

  /** The result, of what is kept. */
  Expression result();
}
