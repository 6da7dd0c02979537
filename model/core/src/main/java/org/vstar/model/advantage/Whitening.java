package org.vstar.model.advantage;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;

/**
 * Brings the advantages of a step's tokens to mean 0 and variance 1.
 *
 * <pre>(x − mean) / √(max(variance, floor) + add)</pre>
 *
 * <p>verl, SkyRL and RAGEN have the sample variance and add 1e-8; OpenRLHF has the population's and
 * a floor of 1e-8. Every token counts once, so a long trajectory weighs more than a short one.
 *
 * @param deviation which variance: {@code sample} (n − 1) or {@code population} (n)
 * @param add to the variance, 0 or more
 * @param floor least variance, 0 or more
 */
public record Whitening(
    @Default("sample") Deviation deviation,
    @Default("1.0e-8") double add,
    @Default("0.0") double floor) {

  /** Checks the ranges. */
  public Whitening {
    InvalidInputException.require(add >= 0, "whiten.add", add, "0 or more");
    InvalidInputException.require(floor >= 0, "whiten.floor", floor, "0 or more");
  }

  /**
   * Whitens.
   *
   * @param values by trajectory and token
   * @param masked trajectories that are left out of mean and variance
   * @return the same shape; NaN if there are too few tokens for a variance
   */
  double[][] of(double[][] values, boolean[] masked) {
    double[] all =
        IntStream.range(0, values.length)
            .filter(i -> !masked[i])
            .mapToObj(i -> values[i])
            .flatMapToDouble(Arrays::stream)
            .toArray();
    Moments moments = Moments.of(all);
    double scale = Math.sqrt(Math.max(moments.variance(deviation), floor) + add);
    return Arrays.stream(values)
        .map(row -> Arrays.stream(row).map(x -> (x - moments.mean()) / scale).toArray())
        .toArray(double[][]::new);
  }

  /** For fingerprints. */
  CanonicalJson canonical() {
    return CanonicalJson.of("whitening", 1)
        .with("deviation", deviation.word())
        .with("add", add)
        .with("floor", floor);
  }
}
