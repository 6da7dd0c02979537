package org.vstar.env.ragen;

import java.util.List;

/** RAGEN's system message, word for word (MIT licence, 2025 RAGEN Team). */
public final class SystemMessage {

  private static final String BEGIN = "You're a helpful assistant. ";

  private SystemMessage() {}

  /** That of a game that explains itself. */
  public static String of(String instruction) {
    return BEGIN + instruction;
  }

  /**
   * That of a game of symbols.
   *
   * @param legend what each symbol means, {@code k: v} joined by commas
   * @param actions their names
   * @param most actions of an episode
   */
  public static String of(String instruction, String legend, List<String> actions, int most) {
    return BEGIN
        + instruction
        + "\nThe meaning of each symbol in the state is:\n"
        + legend
        + "\nYour available actions are:\n"
        + String.join(", ", actions)
        + "\nYou can make up to "
        + most
        + " actions, separated by the action separator \" || \"\n";
  }
}
