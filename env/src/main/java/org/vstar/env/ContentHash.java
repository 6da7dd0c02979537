package org.vstar.env;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 over a sequence of parts; the parts' borders count, so ("ab","c") is not ("a","bc"). */
public final class ContentHash {

  private static final int SHORT = 16;
  private final MessageDigest digest;

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

  public ContentHash add(long value) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(value).flip());
    return this;
  }

  /** The first 16 hex digits: what tables and file names carry. */
  public String hex() {
    return HexFormat.of().formatHex(digest.digest()).substring(0, SHORT);
  }

  /** The first eight bytes as a number: how seeds are derived. */
  public long number() {
    return ByteBuffer.wrap(digest.digest()).getLong();
  }
}
