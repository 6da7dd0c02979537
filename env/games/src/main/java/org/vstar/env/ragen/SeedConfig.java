package org.vstar.env.ragen;

import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;

/**
 * Which seeds are tasks. A split has the first seeds from the base upward whose boards fall into it
 * and have not occurred before.
 *
 * @param base the first seed that is looked at; RAGEN trains from 10,000 on
 * @param train train tasks
 * @param validation validation tasks
 * @param test test tasks
 */
public record SeedConfig(
    @Default("10000") long base,
    @Default("1000") int train,
    @Default("200") int validation,
    @Default("200") int test)
    implements Serializable {

  private static final long LARGEST = 0xffffffffL;
  private static final int MOST = 100_000;

  /** Checks the ranges. */
  public SeedConfig {
    InvalidInputException.require(
        base >= 0 && base <= LARGEST, "environment.tasks.base", base, "0 to " + LARGEST);
    require("train", train);
    require("validation", validation);
    require("test", test);
  }

  private static void require(String key, int value) {
    InvalidInputException.require(
        value > 0 && value <= MOST, "environment.tasks." + key, value, "1 to " + MOST);
  }

  CanonicalJson canonical() {
    return CanonicalJson.of("seeds", 1)
        .with("base", base)
        .with("train", train)
        .with("validation", validation)
        .with("test", test);
  }
}
