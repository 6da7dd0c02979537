package org.vstar.env;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

/** A published dataset that users download themselves. Found by {@link ServiceLoader}. */
@Experimental
public interface Dataset {

  /** Its name on the command line, and its folder's below {@code datasets}. */
  String name();

  /**
   * Checks whether it is there and can be read.
   *
   * @return one line on what was found
   * @throws InvalidInputException saying which files are missing and where they are published, or
   *     what is wrong with which
   */
  String check(Path folder) throws IOException;

  /**
   * The dataset of a name.
   *
   * @throws InvalidInputException naming the datasets there are
   */
  static Dataset of(String name) {
    Map<String, Dataset> all = new TreeMap<>();
    ServiceLoader.load(Dataset.class).forEach(found -> all.put(found.name(), found));
    Dataset found = all.get(name);
    if (found == null) {
      throw new InvalidInputException(
          "no dataset '" + name + "', there is " + String.join(", ", all.keySet()));
    }
    return found;
  }
}
