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

  /** Stands before text that is not an answer. No action begins so. */
  private static final String UNPARSED = "<unparsed>";

  private static final Pattern MARK = Pattern.compile("</?(think|answer)>");

  /**
   * Reads what an agent wrote. Text that does not have the form becomes an answer whose action is
   * that text behind a mark, which no environment takes for a legal action, even if the bare text
   * would be one.
   */
  public static Answer parse(String text, boolean think) {
    Matcher matcher = (think ? WITH_THOUGHT : WITHOUT_THOUGHT).matcher(text);
    if (!matcher.matches()) {
      return new Answer("", UNPARSED + text);
    }
    String thought = think ? matcher.group(1).strip() : "";
    String action = matcher.group(think ? 2 : 1).strip();
    boolean nested = MARK.matcher(thought).find() || MARK.matcher(action).find();
    return nested ? new Answer("", UNPARSED + text) : new Answer(thought, action);
  }
}
