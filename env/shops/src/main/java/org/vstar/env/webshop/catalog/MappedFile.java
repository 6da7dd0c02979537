package org.vstar.env.webshop.catalog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of any size, mapped. Unlike a channel, which closes for all when one thread that reads
 * from it is interrupted, as Spark does to tasks, it stays open.
 *
 * @param pieces all but the last of {@link #PIECE} bytes
 */
record MappedFile(List<ByteBuffer> pieces, long size) {

  private static final int PIECE = 1 << 30;

  static MappedFile open(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      List<ByteBuffer> pieces = new ArrayList<>();
      for (long at = 0; at < channel.size(); at += PIECE) {
        long length = Math.min(PIECE, channel.size() - at);
        pieces.add(channel.map(FileChannel.MapMode.READ_ONLY, at, length));
      }
      return new MappedFile(List.copyOf(pieces), channel.size());
    }
  }

  /**
   * Reads a stretch.
   *
   * @throws IOException if the file is shorter
   */
  byte[] read(long offset, int length) throws IOException {
    if (offset < 0 || offset + length > size) {
      throw new IOException("the file ends before byte " + (offset + length));
    }
    byte[] bytes = new byte[length];
    int done = 0;
    while (done < length) {
      long at = offset + done;
      ByteBuffer piece = pieces.get((int) (at / PIECE));
      int from = (int) (at % PIECE);
      int some = Math.min(length - done, piece.limit() - from);
      piece.get(from, bytes, done, some);
      done += some;
    }
    return bytes;
  }
}
