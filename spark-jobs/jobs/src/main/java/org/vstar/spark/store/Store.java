package org.vstar.spark.store;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;

/**
 * A run's folder as jobs know it: what a {@link RunStore} is, and what readers and writers of
 * tables need besides. It is in any file system that Hadoop opens: {@code file:}, {@code hdfs:},
 * {@code s3a:} and others.
 */
public interface Store extends RunStore {

  /**
   * Opens a folder, which need not be there yet.
   *
   * @param folder a path, or a URI
   * @throws InvalidInputException if it is none, or has characters that Spark takes for something
   *     else
   */
  static Store open(String folder) {
    return HadoopRunStore.of(folder);
  }

  /** Whether something is written as a URI, not as a path. */
  static boolean isUri(String place) {
    return Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:/").matcher(place).lookingAt();
  }

  /** A folder of this store as a store of its own; what is locked here is locked there. */
  Store within(String folder);

  /**
   * Writes and deletes a small file, before work is spent that could not be kept.
   *
   * @throws InvalidInputException if the folder cannot be written to
   */
  void requireWritable();

  /** The folder of a name, as Hadoop and Spark know it. */
  Path path(String name);

  /**
   * What this process has set for Hadoop's file systems, for readers that open {@link #path}
   * themselves.
   */
  Configuration settings();

  /**
   * Whether there is a folder of this name. Object stores have those that have something in them.
   */
  boolean isFolder(String name) throws IOException;

  /**
   * The names of the folders in a folder.
   *
   * @throws java.io.FileNotFoundException if it is not there
   */
  List<String> folders(String name) throws IOException;

  /**
   * When a thing was published.
   *
   * @throws java.io.FileNotFoundException if there is none of this name
   */
  Instant modified(String name) throws IOException;

  /**
   * Opens a thing for readers that jump about in it.
   *
   * @throws java.io.FileNotFoundException if it is not there
   */
  FSDataInputStream readAnywhere(String name) throws IOException;

  /**
   * How many bytes a thing has.
   *
   * @throws java.io.FileNotFoundException if it is not there
   */
  long bytes(String name) throws IOException;

  /** For how many seconds the lock of a holder that died holds: none where it dies too. */
  int orphanedLockSeconds();

  /**
   * Deletes what killed jobs had begun to write in a folder, and in those in it. The caller holds
   * the folder's lock.
   *
   * @return how many files that were
   */
  int deletePartial(String folder) throws IOException;

  /** All things whose names begin with a prefix, sorted by name. */
  List<Stored> stored(String prefix) throws IOException;

  /**
   * A thing that is there.
   *
   * @param since when it was published
   */
  record Stored(String name, long bytes, Instant since) {}
}
