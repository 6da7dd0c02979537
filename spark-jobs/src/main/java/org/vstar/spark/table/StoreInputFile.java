package org.vstar.spark.table;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.parquet.hadoop.util.HadoopStreams;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;
import org.vstar.spark.store.HadoopRunStore;

/**
 * A Parquet file that is open already: a store that does not answer is then not taken for a file
 * that is damaged. It can be read once.
 */
record StoreInputFile(FSDataInputStream in, long bytes) implements InputFile, AutoCloseable {

  static StoreInputFile open(HadoopRunStore store, String name) throws IOException {
    long bytes = store.bytes(name);
    return new StoreInputFile(store.readAnywhere(name), bytes);
  }

  @Override
  public long getLength() {
    return bytes;
  }

  @Override
  public SeekableInputStream newStream() {
    return HadoopStreams.wrap(in);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
