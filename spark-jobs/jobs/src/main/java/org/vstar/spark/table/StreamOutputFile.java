package org.vstar.spark.table;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;

/**
 * A Parquet file that is written to a stream, whose owner decides what becomes of it: Parquet's own
 * writer would close, and so publish, a file that failed.
 */
record StreamOutputFile(OutputStream out) implements OutputFile {

  /** Counts, and leaves the stream open. */
  private static final class Position extends PositionOutputStream {

    private final OutputStream out;
    private long position;

    private Position(OutputStream out) {
      this.out = out;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
      position++;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      out.write(bytes, from, length);
      position += length;
    }

    @Override
    public void close() throws IOException {
      out.flush();
    }
  }

  @Override
  public PositionOutputStream create(long blockSize) {
    return new Position(out);
  }

  @Override
  public PositionOutputStream createOrOverwrite(long blockSize) {
    return new Position(out);
  }

  @Override
  public boolean supportsBlockSize() {
    return false;
  }

  @Override
  public long defaultBlockSize() {
    return 0;
  }
}
