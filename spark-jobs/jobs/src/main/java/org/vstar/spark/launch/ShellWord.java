package org.vstar.spark.launch;

import java.util.regex.Pattern;

/** A word as a shell reads it. */
final class ShellWord {

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@%+-]+");

  private ShellWord() {}

  static String of(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
