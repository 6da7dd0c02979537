package org.vstar.spark.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.vstar.common.InvalidInputException;

/**
 * The file by which a command's script knows that a job could not say how it ended: it is there
 * from the job's first moment to its end, whatever the end is, but for one that leaves a process no
 * moment.
 */
final class EndMark {

  /** Names the file, if the script watches. */
  private static final String VARIABLE = "VSTAR_END_MARK";

  private static final String RUNS = "runs";

  private EndMark() {}

  /** Writes the mark, if the script watches; it goes when this process ends. */
  static void set() {
    String name = System.getenv(VARIABLE);
    if (name == null) {
      return;
    }
    Path mark = Path.of(name);
    try {
      Files.writeString(mark, RUNS);
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + mark, e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(mark), "end mark"));
  }

  private static void delete(Path mark) {
    try {
      Files.deleteIfExists(mark);
    } catch (IOException e) {
      // The script then says that the job was killed, which a full disk explains as well.
      return;
    }
  }
}
