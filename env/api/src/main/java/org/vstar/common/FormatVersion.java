package org.vstar.common;

import java.util.Locale;

/** The version of a format that Vstar writes and reads. */
public final class FormatVersion {

  private FormatVersion() {}

  /**
   * Refuses what another version wrote.
   *
   * @param where what was read
   * @param found the version that it says; 1 where it says none, as Vstar 0.1 did
   * @param readable the version that this Vstar reads and writes
   * @param advice what to do
   * @throws InvalidInputException if the two differ
   */
  public static void require(String where, int found, int readable, String advice) {
    if (found != readable) {
      String writer = found == 1 ? "Vstar 0.1" : "another version of Vstar";
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s: written by %s in format %d, this Vstar reads format %d: %s",
              where,
              writer,
              found,
              readable,
              advice));
    }
  }
}
