package org.vstar.spark.sql;

import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.expressions.Aggregator;
import org.vstar.common.InvalidInputException;
import org.vstar.model.value.ValueEstimate;
import scala.Tuple2;

/**
 * β₁ ln mean exp(r/β₁) over the rows of a group, in one pass: a logsumexp whose largest term so far
 * is kept apart, so that nothing overflows. The mean for β₁ = 0.
 */
public final class VStarAggregator
    extends Aggregator<Tuple2<Double, Double>, VStarAggregator.State, Double> {

  private static final long serialVersionUID = 1L;

  /** What has been seen of a group; a bean, because Spark encodes it as columns. */
  public static final class State implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
    private long n;
    private double beta1;
    private double max;
    private double sum;

    public long getN() {
      return n;
    }

    public void setN(long n) {
      this.n = n;
    }

    public double getBeta1() {
      return beta1;
    }

    public void setBeta1(double beta1) {
      this.beta1 = beta1;
    }

    /** The largest return. */
    public double getMax() {
      return max;
    }

    public void setMax(double max) {
      this.max = max;
    }

    /** Σ exp((r − max)/β₁), or Σ r for β₁ = 0. */
    public double getSum() {
      return sum;
    }

    public void setSum(double sum) {
      this.sum = sum;
    }
  }

  @Override
  public State zero() {
    return new State();
  }

  @Override
  public State reduce(State state, Tuple2<Double, Double> row) {
    if (row._1() == null) {
      return state;
    }
    if (row._2() == null) {
      throw new InvalidInputException("vstar(return, beta1): beta1 is NULL, expected a number");
    }
    ValueEstimate.requireBeta1(row._2());
    State one = new State();
    one.n = 1;
    one.beta1 = row._2();
    one.max = row._1();
    one.sum = one.beta1 == 0 ? one.max : 1;
    return merge(state, one);
  }

  @Override
  public State merge(State a, State b) {
    if (a.n == 0 || b.n == 0) {
      return a.n == 0 ? b : a;
    }
    if (a.beta1 != b.beta1) {
      throw new InvalidInputException(
          "vstar(return, beta1): beta1 is "
              + a.beta1
              + " and "
              + b.beta1
              + " in one group, expected one value");
    }
    State merged = new State();
    merged.n = a.n + b.n;
    merged.beta1 = a.beta1;
    merged.max = Math.max(a.max, b.max);
    merged.sum = scaled(a, merged.max) + scaled(b, merged.max);
    return merged;
  }

  private static double scaled(State s, double max) {
    return s.beta1 == 0 ? s.sum : s.sum * Math.exp((s.max - max) / s.beta1);
  }

  @Override
  public Double finish(State s) {
    if (s.n == 0) {
      return null;
    }
    return s.beta1 == 0 ? s.sum / s.n : s.max + s.beta1 * (Math.log(s.sum) - Math.log(s.n));
  }

  @Override
  public Encoder<State> bufferEncoder() {
    return Encoders.bean(State.class);
  }

  @Override
  public Encoder<Double> outputEncoder() {
    return Encoders.DOUBLE();
  }
}
