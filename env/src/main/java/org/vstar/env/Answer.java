package org.vstar.env;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An agent's answer to one observation: RAGEN's {@code <think>…</think><answer>…</answer>}.
 *
 * @param thought free text, may be empty
 * @param action the action's text
 */
public record Answer(String thought, String action) {

  private static final Pattern WITH_THOUGHT =
      Pattern.compile("\\s*<think>(.*?)</think>\\s*<answer>(.*?)</answer>\\s*", Pattern.DOTALL);
  private static final Pattern WITHOUT_THOUGHT =
      Pattern.compile("\\s*<answer>(.*?)</answer>\\s*", Pattern.DOTALL);

  /** The answer as an agent writes it; without a {@code <think>} part if {@code think} is false. */
  public String format(boolean think) {
    String answer = "<answer>" + action + "</answer>";
    return think ? "<think>" + thought + "</think>" + answer : answer;
  }

  /**
   * Reads what an agent wrote. Text that does not have the form becomes an answer whose action is
   * the whole text, which no environment takes for a legal action.
   */
  public static Answer parse(String text, boolean think) {
    Matcher matcher = (think ? WITH_THOUGHT : WITHOUT_THOUGHT).matcher(text);
    if (!matcher.matches()) {
      return new Answer("", text);
    }
    return think
        ? new Answer(matcher.group(1).strip(), matcher.group(2).strip())
        : new Answer("", matcher.group(1).strip());
  }
}
