package org.vstar.env.ragen;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.vstar.env.Split;

/**
 * What a game begins on.
 *
 * @param text exact: boards of equal texts are one task
 * @param key equal for boards that are alike: what is held out shares none with what is trained on
 * @param split decided by the key
 * @param shortest length of a shortest solution, or what else says how long one is
 */
public record Board(String text, String key, Split split, int shortest) {

  private static final int KEY_DIGITS = 16;
  private static final int SPLIT_DIGITS = 8;
  private static final int SHARES = 10;

  /**
   * A board.
   *
   * @param alike the text that boards which are alike have in common
   */
  public static Board of(String text, String alike, int shortest) {
    String key = hash(alike).substring(0, KEY_DIGITS);
    long share = Long.parseLong(key.substring(0, SPLIT_DIGITS), 16) % SHARES;
    Split split = share == 0 ? Split.TEST : share == 1 ? Split.VALIDATION : Split.TRAIN;
    return new Board(text, key, split, shortest);
  }

  /** Of the eight images of a grid under turning and mirroring the one whose text comes first. */
  public static String firstImage(List<String> rows) {
    List<String> images = new ArrayList<>();
    List<String> image = rows;
    for (int i = 0; i < 4; i++) {
      image = turned(image);
      images.add(String.join("\n", image));
      List<String> mirrored = new ArrayList<>(image);
      Collections.reverse(mirrored);
      images.add(String.join("\n", mirrored));
    }
    return Collections.min(images);
  }

  private static List<String> turned(List<String> rows) {
    List<String> turned = new ArrayList<>();
    for (int column = 0; column < rows.get(0).length(); column++) {
      StringBuilder row = new StringBuilder();
      for (int i = rows.size() - 1; i >= 0; i--) {
        row.append(rows.get(i).charAt(column));
      }
      turned.add(row.toString());
    }
    return turned;
  }

  private static String hash(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
