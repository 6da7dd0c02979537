package org.vstar.model.engine;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

/**
 * What training takes of memory at most, computed from shapes before anything is allocated.
 *
 * @param where the memory that it is taken from, for example {@code Java's heap}
 * @param available bytes that may be taken there
 * @param parts what takes it
 * @param remedy what to do where it does not fit, as the end of a sentence
 */
@Experimental
public record MemoryPlan(String where, long available, List<Part> parts, String remedy) {

  private static final double GIGA = 1e9;

  /** One of the things that take memory. */
  public record Part(String what, long bytes) {
    @Override
    public String toString() {
      return what + " " + gigabytes(bytes);
    }
  }

  /**
   * What there is to train.
   *
   * @param model the shape
   * @param vocabulary number of token ids
   * @param trained number of parameters that are trained: all, or an adapter's
   * @param longest tokens of the longest sequence
   * @param models how many models are held with weights of their own: two, where all weights are
   *     trained beside a reference policy
   */
  public record Load(ModelConfig model, int vocabulary, long trained, int longest, int models) {}

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
   * @throws InvalidInputException with the figures, and what to do
   */
  public void require() {
    if (!fits()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "training takes up to %s of %s, which may have %s (%s): %s",
              gigabytes(bytes()),
              where,
              gigabytes(available),
              list(),
              remedy));
    }
  }

  private String list() {
    return parts.stream().map(Part::toString).collect(Collectors.joining(", "));
  }

  private static String gigabytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f GB", bytes / GIGA);
  }

  /**
   * {@code weights 1.1 GB, gradients 1.6 GB; up to 2.7 GB of Java's heap, which may have 6.4 GB}.
   */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s; up to %s of %s, which may have %s",
        list(),
        gigabytes(bytes()),
        where,
        gigabytes(available));
  }
}
