package org.vstar.spark.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a script does after the launcher has ended. */
sealed interface Plan {

  /**
   * Replaces itself by a command.
   *
   * @param environment variables that the command gets besides the script's own
   * @param command the program and its arguments
   * @param note a line for the error stream, if there is something to say
   */
  record Run(Map<String, String> environment, List<String> command, Optional<String> note)
      implements Plan {

    Run(Map<String, String> environment, List<String> command) {
      this(environment, command, Optional.empty());
    }
  }

  /**
   * Builds add-ons that are not laid out, and asks the launcher again.
   *
   * @param addons their names
   */
  record Build(List<String> addons) implements Plan {}

  /**
   * Ends.
   *
   * @param code the exit code
   * @param text what it prints first
   */
  record End(int code, String text) implements Plan {}

  /** The plan as words, of which none holds a NUL: what to do, and with what. */
  default List<String> words() {
    List<String> words = new ArrayList<>();
    if (this instanceof Run run) {
      words.add("run");
      new TreeMap<>(run.environment()).forEach((name, value) -> words.add(name + "=" + value));
      words.addAll(run.command());
    } else if (this instanceof Build build) {
      words.add("build");
      words.addAll(build.addons());
    } else if (this instanceof End end) {
      words.addAll(List.of("end", String.valueOf(end.code()), end.text()));
    }
    return words;
  }
}
