package org.vstar.model.imitation;

import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;
import org.vstar.model.policy.Policy;

/**
 * An implementation of imitation, found by {@link ServiceLoader} under the name that configs use:
 * {@code warmStart.imitation}.
 */
@Experimental
public interface ImitationKind {

  /** Its name in configs. */
  String kind();

  /**
   * Checks a config before anything is opened or written.
   *
   * @throws InvalidInputException if this kind cannot train with it
   */
  default void requireFitting(ImitationConfig config) {}

  /**
   * Prepares to train.
   *
   * @param start where training starts; a kind may train it in place
   * @param minibatches what is imitated
   * @throws InvalidInputException if this kind cannot train such a policy
   */
  Imitation start(Policy start, ImitationConfig config, Minibatches minibatches);

  /**
   * The kind of a name.
   *
   * @throws InvalidInputException naming the kinds there are
   */
  static ImitationKind of(String kind) {
    Map<String, ImitationKind> all = new TreeMap<>();
    ServiceLoader.load(ImitationKind.class).forEach(found -> all.put(found.kind(), found));
    ImitationKind found = all.get(kind);
    if (found == null) {
      throw new InvalidInputException(
          "config key 'warmStart.imitation' is '" + kind + "', expected one of " + all.keySet());
    }
    return found;
  }
}
