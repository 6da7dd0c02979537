package org.vstar.spark.table;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;
import org.vstar.spark.store.Store;

/**
 * A Parquet file that is open already, and remembers when its store failed: that is then not taken
 * for a file that is damaged. It can be read once.
 */
final class StoreInputFile implements InputFile, AutoCloseable {

  private final FSDataInputStream in;
  private final long bytes;
  private IOException fault;

  StoreInputFile(FSDataInputStream in, long bytes) {
    this.in = in;
    this.bytes = bytes;
  }

  static StoreInputFile open(Store store, String name) throws IOException {
    long bytes = store.bytes(name);
    return new StoreInputFile(store.readAnywhere(name), bytes);
  }

  @Override
  public long getLength() {
    return bytes;
  }

  @Override
  public SeekableInputStream newStream() {
    return new Watched();
  }

  /** To be asked where reading failed: throws what the store said, if it was the store. */
  void requireStoreAnswered() throws IOException {
    if (fault != null) {
      throw fault;
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private interface Reading {
    int read() throws IOException;
  }

  /** A file that ends too early, or differs from its checksums, is damaged. */
  private int watch(Reading reading) throws IOException {
    try {
      return reading.read();
    } catch (EOFException | ChecksumException e) {
      throw e;
    } catch (IOException e) {
      fault = e;
      throw e;
    }
  }

  private final class Watched extends DelegatingSeekableInputStream {

    Watched() {
      super(
          new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
              return watch(in::read);
            }

            @Override
            public int read(byte[] to, int from, int length) throws IOException {
              return watch(() -> in.read(to, from, length));
            }
          });
    }

    @Override
    public long getPos() throws IOException {
      return in.getPos();
    }

    @Override
    public void seek(long position) throws IOException {
      watch(
          () -> {
            in.seek(position);
            return 0;
          });
    }
  }
}
