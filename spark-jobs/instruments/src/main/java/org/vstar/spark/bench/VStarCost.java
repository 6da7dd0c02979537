package org.vstar.spark.bench;

import org.vstar.common.InvalidInputException;

/**
 * The estimated cost of a V* job of any size: tokens from episodes as they are, seconds from how
 * fast a machine computes and reads its memory.
 *
 * <p>A token that is read costs two operations a parameter. A token that is written needs all
 * weights, and the keys and values of all episodes on the machine, once for each token that each of
 * them writes. Keys and values are kept from turn to turn, so that nothing is read twice.
 *
 * @param job how much there is to do
 * @param policy who plays
 * @param machine one executor's accelerator
 */
record VStarCost(Job job, Policy policy, Machine machine) {

  private static final double SECONDS_AN_HOUR = 3600;

  /**
   * How much there is to do.
   *
   * @param samples of each task
   * @param read tokens that an episode reads
   * @param written tokens that it writes
   * @param sampleBytes of a sample in its table
   */
  record Job(long tasks, int samples, double read, double written, double sampleBytes) {
    /** How many episodes that is. */
    long episodes() {
      return tasks * samples;
    }
  }

  /**
   * Who plays.
   *
   * @param parameters how many
   * @param bytes of a parameter
   * @param tokenBytes keys and values of a token, in all layers
   */
  record Policy(double parameters, double bytes, double tokenBytes) {}

  /**
   * One executor's accelerator.
   *
   * @param operations a second, at most, multiplications and additions counted apart
   * @param bandwidth of its memory, bytes a second, at most
   * @param share of both that is reached, above 0 to 1
   * @param slots episodes at a time
   * @param price of an hour
   */
  record Machine(double operations, double bandwidth, double share, int slots, double price) {
    Machine {
      InvalidInputException.require(share > 0 && share <= 1, "share", share, "above 0 to 1");
      InvalidInputException.require(slots > 0, "slots", slots, "1 or more");
    }
  }

  /** Tokens a second that a machine reads. */
  double readSpeed() {
    return machine.share * machine.operations / (2 * policy.parameters);
  }

  /** Tokens a second that a machine writes, in all of its slots together. */
  double writtenSpeed() {
    // Half of an episode is there on average.
    double kept = machine.slots * (job.read + job.written) / 2 * policy.tokenBytes;
    double step = (policy.parameters * policy.bytes + kept) / (machine.share * machine.bandwidth);
    return machine.slots / step;
  }

  /** Hours of one machine. */
  double machineHours() {
    double each = job.read / readSpeed() + job.written / writtenSpeed();
    return job.episodes() * each / SECONDS_AN_HOUR;
  }

  /** Hours from beginning to end. */
  double hours(int machines) {
    return machineHours() / machines;
  }

  double money() {
    return machineHours() * machine.price;
  }

  /** Of the table of samples. */
  double bytes() {
    return job.episodes() * job.sampleBytes;
  }
}
