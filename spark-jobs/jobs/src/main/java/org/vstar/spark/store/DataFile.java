package org.vstar.spark.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.SortedMap;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.vstar.common.AtomicFiles.FileWriter;
import org.vstar.common.ContentHash;

/**
 * A file of a table, as a manifest names it.
 *
 * @param name in the store
 * @param rows how many it has
 * @param bytes how long it is
 * @param hash of its bytes
 * @param parts what its rows are, in the words of the table; empty where nobody asks
 */
public record DataFile(
    String name, long rows, long bytes, String hash, SortedMap<String, String> parts)
    implements Serializable {

  /**
   * Publishes a file that nothing is known of until a manifest names it.
   *
   * @param writer writes it
   */
  public static DataFile publish(
      Store store, String name, long rows, SortedMap<String, String> parts, FileWriter writer)
      throws IOException {
    ContentHash hash = new ContentHash();
    long[] bytes = new long[1];
    store.publish(
        name,
        out -> {
          FSDataOutputStream counted = new FSDataOutputStream(hash.through(out), null);
          writer.write(counted);
          counted.flush();
          bytes[0] = counted.getPos();
        });
    return new DataFile(name, rows, bytes[0], hash.hex(), parts);
  }

  /** The same file with other words for what it has: some are known only when all is written. */
  public DataFile with(long count, SortedMap<String, String> has) {
    return new DataFile(name, count, bytes, hash, has);
  }

  /**
   * Why the file that is there is not this one; null if it is.
   *
   * @throws IOException if it cannot be read, for another reason than that it is not there
   */
  public String damage(Store store) throws IOException {
    if (!store.exists(name)) {
      return "it is missing";
    }
    try (InputStream in = store.read(name)) {
      return new ContentHash().add(in).hex().equals(hash)
          ? null
          : "it was cut short or changed since it was written";
    }
  }
}
