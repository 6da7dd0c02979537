package org.vstar.env;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.BiConsumer;
import org.vstar.common.Experimental;

/** Serves an environment as web pages on which people play its tasks. */
@Experimental
public interface Website {

  /** A site that is being served, until it is closed. */
  interface Server extends AutoCloseable {

    /** Where a browser finds it. */
    URI address();

    @Override
    void close();
  }

  /**
   * Serves an environment.
   *
   * @param split whose tasks can be chosen
   * @param address where it listens; port 0 for any that is free
   * @param record is told of every episode that has ended
   * @return nothing if there are no pages of this environment
   * @throws IOException if it cannot listen there
   */
  Optional<Server> serve(
      Environment environment,
      Split split,
      InetSocketAddress address,
      BiConsumer<Task, List<Turn>> record)
      throws IOException;

  /** All websites on the class path. */
  static Iterable<Website> all() {
    return ServiceLoader.load(Website.class);
  }
}
