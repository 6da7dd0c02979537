package org.vstar.model.train;

import java.io.Serializable;

/**
 * What the reference policy makes of a task.
 *
 * @param vStar V*
 * @param mean of its returns
 * @param spread the standard deviation of its returns; NaN if it was sampled once
 */
public record TaskValue(double vStar, double mean, double spread) implements Serializable {

  /** Nobody has measured it. */
  public static final TaskValue UNKNOWN = new TaskValue(Double.NaN, Double.NaN, Double.NaN);
}
