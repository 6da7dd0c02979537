package org.vstar.common;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * SHA-256 over a sequence of parts. Texts, bytes and arrays count with their lengths, so ("ab","c")
 * is not ("a","bc"); what {@link #append} and streams add has no length, and the parts before them
 * have to say what they are. A hash is taken once.
 */
public final class ContentHash {

  private static final int SHORT = 16;
  private static final int CHUNK = 1 << 14;
  private final MessageDigest digest;
  private boolean taken;

  public ContentHash() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  public ContentHash add(String text) {
    return add(text.getBytes(StandardCharsets.UTF_8));
  }

  public ContentHash add(byte[] bytes) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    digest.update(bytes);
    return this;
  }

  /** Adds numbers as float32, little-endian. */
  public ContentHash add(float[] values, int offset, int count) {
    return add((long) count).append(values, offset, count);
  }

  /**
   * The same without their count: for numbers that come in pieces, behind {@code add} of how many
   * they all are.
   */
  public ContentHash append(float[] values, int offset, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(CHUNK * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int from = 0; from < count; from += CHUNK) {
      int some = Math.min(CHUNK, count - from);
      bytes.asFloatBuffer().put(values, offset + from, some);
      digest.update(bytes.array(), 0, some * Float.BYTES);
    }
    return this;
  }

  public ContentHash add(long value) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(value).flip());
    return this;
  }

  /** Adds all that is left in a stream. */
  public ContentHash add(InputStream in) throws IOException {
    in.transferTo(through(OutputStream.nullOutputStream()));
    return this;
  }

  /** A stream that adds what is written through it. */
  public OutputStream through(OutputStream out) {
    return new DigestOutputStream(out, digest);
  }

  /** Things in the order of their hashes, which nothing but their content decides. */
  public static <T> List<T> order(Collection<T> things, Function<T, ContentHash> content) {
    return things.stream()
        .map(thing -> Map.entry(content.apply(thing).hex(), thing))
        .sorted(Map.Entry.comparingByKey())
        .map(Map.Entry::getValue)
        .toList();
  }

  /** The first 16 hex digits: what tables and file names carry. */
  public String hex() {
    return HexFormat.of().formatHex(take()).substring(0, SHORT);
  }

  /** The first eight bytes as a number: how seeds are derived. */
  public long number() {
    return ByteBuffer.wrap(take()).getLong();
  }

  private byte[] take() {
    if (taken) {
      // The digest begins anew once it is taken, so a second one would be of nothing.
      throw new IllegalStateException("the hash was taken already");
    }
    taken = true;
    return digest.digest();
  }
}
