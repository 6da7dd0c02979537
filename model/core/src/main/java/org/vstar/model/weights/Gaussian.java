package org.vstar.model.weights;

import java.util.SplittableRandom;

/** Normally distributed numbers. */
final class Gaussian {

  private Gaussian() {}

  /** One number, by Box and Muller over StrictMath, so that all platforms draw the same. */
  static double draw(double deviation, SplittableRandom random) {
    double radius = StrictMath.sqrt(-2 * StrictMath.log(1 - random.nextDouble()));
    return deviation * radius * StrictMath.cos(2 * StrictMath.PI * random.nextDouble());
  }
}
