package org.vstar.spark.table;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.parquet.io.SeekableInputStream;
import org.junit.jupiter.api.Test;

class StoreInputFileTest {

  private static final int LENGTH = 100;

  /** A file that cannot be read, for a reason. */
  private static StoreInputFile failing(IOException reason) {
    FSInputStream in =
        new FSInputStream() {
          @Override
          public int read() throws IOException {
            throw reason;
          }

          @Override
          public void seek(long position) {}

          @Override
          public long getPos() {
            return 0;
          }

          @Override
          public boolean seekToNewSource(long position) {
            return false;
          }
        };
    return new StoreInputFile(new FSDataInputStream(in), LENGTH);
  }

  private static void read(StoreInputFile file) throws IOException {
    try (SeekableInputStream in = file.newStream()) {
      assertThatThrownBy(in::read).isInstanceOf(IOException.class);
    }
  }

  @Test
  void whatTheStoreSaidIsSaidAgainAndNotTakenForADamagedFile() throws IOException {
    IOException reason = new IOException("the store is out of order");
    StoreInputFile file = failing(reason);
    read(file);
    assertThatThrownBy(file::requireStoreAnswered).isSameAs(reason);
  }

  @Test
  void aFileThatEndsEarlyOrDiffersFromItsChecksumsIsDamagedAndNoFaultOfTheStore()
      throws IOException {
    for (IOException damage :
        new IOException[] {new EOFException(), new ChecksumException("at 7", 7)}) {
      StoreInputFile file = failing(damage);
      read(file);
      assertThatCode(file::requireStoreAnswered).doesNotThrowAnyException();
    }
  }
}
