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
    private double min;
    private double total;
    private double sum;
    private double less;

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

    /** The smallest return. */
    public double getMin() {
      return min;
    }

    public void setMin(double min) {
      this.min = min;
    }

    /** Σ r. */
    public double getTotal() {
      return total;
    }

    public void setTotal(double total) {
      this.total = total;
    }

    /** Σ (exp((r − max)/β₁) − 1), which keeps the digits that a large β₁ takes from the sum. */
    public double getLess() {
      return less;
    }

    public void setLess(double less) {
      this.less = less;
    }

    /** Σ exp((r − max)/β₁). */
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
    one.min = row._1();
    one.total = row._1();
    one.sum = 1;
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
    merged.min = Math.min(a.min, b.min);
    merged.total = a.total + b.total;
    if (merged.beta1 > 0) {
      merged.sum = sum(a, merged.max) + sum(b, merged.max);
      merged.less = less(a, merged.max) + less(b, merged.max);
    }
    return merged;
  }

  /** The sum relative to another maximum. */
  private static double sum(State s, double max) {
    return s.sum * Math.exp((s.max - max) / s.beta1);
  }

  private static double less(State s, double max) {
    double gap = (s.max - max) / s.beta1;
    return s.less * Math.exp(gap) + s.n * Math.expm1(gap);
  }

  @Override
  public Double finish(State s) {
    if (s.n == 0) {
      return null;
    }
    double spread = (s.max - s.min) / s.beta1;
    if (s.beta1 == 0 || spread < ValueEstimate.MEAN_BELOW) {
      return s.total / s.n;
    }
    return spread < ValueEstimate.NEARLY_ONE_BELOW
        ? s.max + s.beta1 * Math.log1p(s.less / s.n)
        : s.max + s.beta1 * (Math.log(s.sum) - Math.log(s.n));
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
