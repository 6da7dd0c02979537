package org.vstar.model.advantage;

/**
 * Mean and spread of some numbers. They are taken relative to the first number, so that equal
 * numbers have their own value for a mean and a spread of exactly 0, and large ones lose no digits.
 *
 * @param count how many numbers
 * @param mean NaN of none
 * @param squares sum of the squared distances from the mean
 */
record Moments(int count, double mean, double squares) {

  static Moments of(double[] numbers) {
    if (numbers.length == 0) {
      return new Moments(0, Double.NaN, 0);
    }
    double first = numbers[0];
    double sum = 0;
    for (double number : numbers) {
      sum += number - first;
    }
    double shift = sum / numbers.length;
    double squares = 0;
    for (double number : numbers) {
      double distance = number - first - shift;
      squares += distance * distance;
    }
    return new Moments(numbers.length, first + shift, squares);
  }

  /** NaN where there are too few numbers. */
  double variance(Deviation deviation) {
    return squares / (deviation == Deviation.SAMPLE ? count - 1 : count);
  }

  /** The root of the variance. */
  double deviation(Deviation deviation) {
    return Math.sqrt(variance(deviation));
  }
}
