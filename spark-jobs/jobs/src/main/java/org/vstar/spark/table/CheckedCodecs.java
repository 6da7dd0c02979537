package org.vstar.spark.table;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/**
 * Decompression that checks the length that a page's header gives. Checksums do not cover the
 * header, and Parquet's own Snappy reader waits for ever for bytes that a damaged one promises.
 *
 * @param others how other codecs are read that end by themselves
 */
record CheckedCodecs(CompressionCodecFactory others) implements CompressionCodecFactory {

  private static final Set<CompressionCodecName> ENDING =
      Set.of(
          CompressionCodecName.UNCOMPRESSED, CompressionCodecName.GZIP, CompressionCodecName.ZSTD);

  /** Snappy, which Spark and Vstar write. */
  private static final class SnappyPages implements BytesInputDecompressor {

    private static byte[] decompress(byte[] compressed, int size) throws IOException {
      int found = Snappy.uncompressedLength(compressed);
      if (found != size) {
        throw new IOException("a page has " + found + " bytes, its header says " + size);
      }
      return Snappy.uncompress(compressed);
    }

    @Override
    public BytesInput decompress(BytesInput bytes, int size) throws IOException {
      ByteArrayOutputStream compressed = new ByteArrayOutputStream();
      bytes.writeAllTo(compressed);
      return BytesInput.from(decompress(compressed.toByteArray(), size));
    }

    @Override
    public void decompress(ByteBuffer in, int compressedSize, ByteBuffer out, int size)
        throws IOException {
      byte[] compressed = new byte[compressedSize];
      in.get(compressed);
      out.put(decompress(compressed, size));
    }

    @Override
    public void release() {
      // It holds nothing.
    }
  }

  @Override
  public BytesInputCompressor getCompressor(CompressionCodecName codec) {
    return others.getCompressor(codec);
  }

  @Override
  public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
    if (codec == CompressionCodecName.SNAPPY) {
      return new SnappyPages();
    }
    if (!ENDING.contains(codec)) {
      throw new IllegalArgumentException("it is compressed with " + codec + ", expected SNAPPY");
    }
    return others.getDecompressor(codec);
  }

  @Override
  public void release() {
    others.release();
  }
}
