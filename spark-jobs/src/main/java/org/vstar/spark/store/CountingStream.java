package org.vstar.spark.store;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Counts what is written through it. */
final class CountingStream extends FilterOutputStream {

  private long count;

  CountingStream(OutputStream out) {
    super(out);
  }

  /** How many bytes so far. */
  long count() {
    return count;
  }

  @Override
  public void write(int b) throws IOException {
    out.write(b);
    count++;
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    out.write(bytes, from, length);
    count += length;
  }
}
