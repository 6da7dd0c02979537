package org.vstar.spark.catalyst;

import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.expressions.Expression;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/** Java's lists as Scala 2.13 has them. */
public final class ScalaLists {

  private ScalaLists() {}

  /** A list as Scala's kind that Spark takes. */
  public static <T> Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }

  /** A view of what Spark gives. */
  public static <T> List<T> list(scala.collection.Seq<T> seq) {
    return CollectionConverters.asJava(seq);
  }

  /** A function of SQL, of its arguments. */
  public static AbstractFunction1<Seq<Expression>, Expression> function(
      Function<List<Expression>, Expression> function) {
    return new AbstractFunction1<>() {
      @Override
      public Expression apply(Seq<Expression> arguments) {
        return function.apply(List.copyOf(list(arguments)));
      }
    };
  }
}
