package org.vstar.model.tokenizer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.vstar.common.InvalidInputException;

/**
 * Where DJL unpacks the native library of its tokenizers: the home folder, as DJL has it, or, where
 * nothing can be written there, a folder of this user in the temporary one. DJL's own second choice
 * is one folder for all users, which belongs to the first of them.
 */
final class NativeLibraryFolder {

  private static final String SETTING = "DJL_CACHE_DIR";
  private static final String NAME = ".djl.ai";

  private NativeLibraryFolder() {}

  /**
   * Chooses the folder, unless the user has.
   *
   * @throws InvalidInputException if neither home nor the temporary folder can be written to
   */
  static void choose() {
    if (System.getenv(SETTING) != null || System.getProperty(SETTING) != null) {
      return;
    }
    Path home = Path.of(System.getProperty("user.home", "")).resolve(NAME);
    if (isWritable(home)) {
      return;
    }
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    String user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9]", "_");
    Path own = temporary.resolve(NAME.substring(1) + "-" + user);
    try {
      System.setProperty(
          SETTING,
          (isWritable(own) ? own : Files.createTempDirectory(NAME.substring(1))).toString());
    } catch (IOException e) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "no folder for the tokenizer's native library: neither %s nor %s can be written to:"
                  + " set %s to one that can",
              home,
              temporary,
              SETTING),
          e);
    }
  }

  /** Tried, since permissions alone do not tell. */
  private static boolean isWritable(Path folder) {
    try {
      Files.createDirectories(folder);
      Files.delete(Files.createTempFile(folder, "probe", null));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
