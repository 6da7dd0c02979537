package org.vstar.spark.catalyst;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.collection.immutable.$colon$colon;
import scala.collection.immutable.Nil$;
import scala.runtime.AbstractFunction1;

/**
 * Java's lists as Scala's, of a kind that Scala 2.12 and 2.13 both take where Spark asks for one.
 */
public final class ScalaLists {

  private ScalaLists() {}

  /** A list as Scala's. */
  public static <T> scala.collection.immutable.List<T> seq(List<T> list) {
    scala.collection.immutable.List<T> seq = empty();
    for (int i = list.size() - 1; i >= 0; i--) {
      seq = new $colon$colon<>(list.get(i), seq);
    }
    return seq;
  }

  /** Nothing is in it, so it is a list of anything. */
  @SuppressWarnings("unchecked")
  private static <T> scala.collection.immutable.List<T> empty() {
    return (scala.collection.immutable.List<T>) (Object) Nil$.MODULE$;
  }

  /** What Spark gives, as Java's. */
  public static <T> List<T> list(Seq<T> seq) {
    List<T> list = new ArrayList<>();
    for (Iterator<T> each = seq.iterator(); each.hasNext(); ) {
      list.add(each.next());
    }
    return list;
  }

  /**
   * A function of SQL, of its arguments.
   *
   * @param <S> the kind of Scala's sequence that Spark has them in
   */
  public static <S> AbstractFunction1<S, Expression> function(
      Function<List<Expression>, Expression> function) {
    return new AbstractFunction1<>() {
      @Override
      @SuppressWarnings("unchecked")
      public Expression apply(S arguments) {
        return function.apply(list((Seq<Expression>) (Object) arguments));
      }
    };
  }
}
