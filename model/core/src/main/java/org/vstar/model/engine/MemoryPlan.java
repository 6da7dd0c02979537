package org.vstar.model.engine;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

/**
 * The memory that training needs, computed from shapes before anything is allocated.
 *
 * @param where the memory that it is taken from, for example {@code Java heap}
 * @param available bytes that may be taken there
 * @param parts what takes it
 * @param more how to get more of it, as part of a sentence
 */
@Experimental
public record MemoryPlan(String where, long available, List<Part> parts, String more) {

  private static final double GIGA = 1e9;
  private static final double MEGA = 1e6;

  /** One of the things that take memory. */
  public record Part(String what, long bytes) {
    @Override
    public String toString() {
      return what + " " + size(bytes);
    }
  }

  /**
   * What there is to train.
   *
   * @param model the shape
   * @param vocabulary number of token ids
   * @param adapter number of parameters of the adapter that is trained; 0 where all weights are
   * @param longest tokens of the longest sequence; 0 if it is not known, so that a micro-batch's
   *     tokens count
   * @param models how many models are held with weights of their own: two, where all weights are
   *     trained beside a reference policy
   * @param trainers how many are trained: one, or two with a critic beside the policy
   * @param cached tokens whose keys and values are held at once, of all episodes that are played
   *     side by side; 0 where none is
   */
  public record Load(
      ModelConfig model,
      int vocabulary,
      long adapter,
      int longest,
      int models,
      int trainers,
      long cached) {

    /** Number of the model's parameters. */
    public long weights() {
      return ModelTensors.of(model, vocabulary).stream().mapToLong(TensorSource.Tensor::size).sum();
    }

    /** Number of parameters that are trained. */
    public long trained() {
      return adapter == 0 ? weights() : adapter;
    }

    /**
     * Tokens of what goes through the model at once in a thread.
     *
     * @param microBatch those that the options want; a sequence that is longer goes through whole
     */
    public int tokens(int microBatch) {
      return Math.max(microBatch, longest);
    }
  }

  /** All parts together. */
  public long bytes() {
    return parts.stream().mapToLong(Part::bytes).sum();
  }

  /** Whether it is there. */
  public boolean fits() {
    return bytes() <= available;
  }

  /**
   * Refuses what does not fit.
   *
   * @param less how to need less, as the end of a sentence
   * @throws InvalidInputException with the figures, and what to do
   */
  public void require(String less) {
    if (!fits()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "training needs up to %s of %s, of which %s are available (%s): %s, or %s",
              size(bytes()),
              where,
              size(available),
              list(),
              more,
              less));
    }
  }

  private String list() {
    return parts.stream()
        .filter(part -> part.bytes > 0)
        .map(Part::toString)
        .collect(Collectors.joining(", "));
  }

  /** {@code 2.7 GB}, or {@code 64 MB}. */
  public static String size(long bytes) {
    return bytes < GIGA
        ? String.format(Locale.ROOT, "%.0f MB", bytes / MEGA)
        : String.format(Locale.ROOT, "%.1f GB", bytes / GIGA);
  }

  /**
   * {@code weights 1.1 GB, gradients 1.6 GB; up to 2.7 GB of Java heap, of which 6.4 GB are
   * available}.
   */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s; up to %s of %s, of which %s are available",
        list(),
        size(bytes()),
        where,
        size(available));
  }
}
