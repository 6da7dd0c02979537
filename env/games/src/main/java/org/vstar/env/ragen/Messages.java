package org.vstar.env.ragen;

/** What RAGEN's loop says to the agent, word for word (MIT licence, 2025 RAGEN Team). */
record Messages(LoopConfig loop) {

  private static final String FORM = "<answer> [your answer] </answer>";
  private static final String FORM_WITH_THOUGHT = "<think> [Your thoughts] </think> " + FORM;
  private static final String NOTHING_VALID =
      "No valid action provided previously. Environment state remains the same. Please try again.\n";

  /**
   * The user's message before an answer.
   *
   * @param turn of the answer, from 1
   * @param reward of the last turn, without its penalty, as it is written
   * @param lastValid whether the last answer had a legal action; true before the first
   * @param left how many actions the episode has left
   */
  String user(int turn, String reward, String state, boolean lastValid, int left) {
    StringBuilder message = new StringBuilder();
    if (turn > 1) {
      message.append("Reward:\n").append(reward).append('\n');
    }
    message.append("\nTurn ").append(turn).append(":\nState:\n").append(state).append('\n');
    if (!lastValid) {
      message.append(NOTHING_VALID);
    }
    return message
        .append("You have ")
        .append(left)
        .append(" actions left. Always output: ")
        .append(loop.thought() ? FORM_WITH_THOUGHT : FORM)
        .append(" with no extra text. Strictly follow this format. Max response length: ")
        .append(loop.responseTokens())
        .append(" words (tokens).\n")
        .toString();
  }
}
