package org.vstar.common;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Where the jobs of one run leave their results and find one another's. A thing has a name, parts
 * of which are separated by {@code /}, and it appears whole or not at all. No name is moved to
 * another and nothing is appended to, so that the interface can be kept by an object store too.
 *
 * <p>What has several parts (a policy, a checkpoint) names one of them that is published last; it
 * is there when that part is.
 */
@Experimental
public interface RunStore extends Serializable {

  /** Whether a thing has been published under this name. */
  boolean exists(String name) throws IOException;

  /**
   * Opens a thing; the caller closes the stream.
   *
   * @throws java.io.FileNotFoundException if there is none of this name
   */
  InputStream read(String name) throws IOException;

  /**
   * A folder of this machine that has the things whose names begin with {@code name/}, to be mapped
   * rather than read. It must not be written to.
   */
  Path local(String name) throws IOException;

  /** Says that nobody needs what {@link #local} gave any longer; more than this frees no room. */
  default void release(String name) {}

  /**
   * Publishes a thing, in the place of any of this name.
   *
   * @throws InvalidInputException if this store took a lock on it, and has lost that
   */
  void publish(String name, AtomicFiles.FileWriter writer) throws IOException;

  /** Takes a thing away, if there is one of this name. */
  void delete(String name) throws IOException;

  /**
   * The right to write; given up when it is closed, and when its process ends, however it dies: at
   * once, or on stores that have no locks after a while.
   */
  interface Lock extends AutoCloseable {
    @Override
    void close();

    /**
     * Refuses to go on if another has taken the right, because this process did not show for long.
     *
     * @throws InvalidInputException saying so
     */
    default void requireHeld() {}
  }

  /**
   * Takes the right to write what a name stands for.
   *
   * @param name of what is locked, a folder of things for example
   * @param holder who takes it, for the message to others
   * @param timeout how long to wait for another to give it up
   * @throws InvalidInputException saying who holds it, if another has it
   */
  Lock lock(String name, String holder, Duration timeout) throws IOException;

  /** The names of all things that begin with a prefix, sorted. */
  List<String> list(String prefix) throws IOException;

  /** Where a thing is, for messages to people. */
  String location(String name);
}
