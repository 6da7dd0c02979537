package org.vstar.env;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How an agent marks its thought and its action. */
public enum AnswerFormat {
  /** RAGEN's {@code <think>…</think><answer>…</answer>}. */
  ANSWER("answer"),
  /** verl-agent's {@code <think>…</think><action>…</action>}. */
  ACTION("action");

  /** Stands before text that is not an answer. No action begins so. */
  private static final String UNPARSED = "<unparsed>";

  private final String open;
  private final String close;
  private final Pattern withThought;
  private final Pattern withoutThought;
  private final Pattern mark;

  AnswerFormat(String tag) {
    open = "<" + tag + ">";
    close = "</" + tag + ">";
    String action = "\\s*" + open + "(.*?)" + close + "\\s*";
    withThought = Pattern.compile("\\s*<think>(.*?)</think>" + action, Pattern.DOTALL);
    withoutThought = Pattern.compile(action, Pattern.DOTALL);
    mark = Pattern.compile("</?(think|" + tag + ")>");
  }

  /** What stands before an action. */
  public String open() {
    return open;
  }

  /** What stands behind an action. */
  public String close() {
    return close;
  }

  /**
   * An answer as an agent writes it; without a {@code <think>} part if {@code think} is false. What
   * was {@linkplain #unparsed no answer} is written as it was.
   */
  public String write(Answer answer, boolean think) {
    if (answer.action().startsWith(UNPARSED)) {
      return answer.action().substring(UNPARSED.length());
    }
    String action = open + answer.action() + close;
    return think ? "<think>" + answer.thought() + "</think>" + action : action;
  }

  /**
   * Reads what an agent wrote. Text that does not have the form becomes an answer whose action is
   * that text behind a mark, which no environment takes for a legal action, even if the bare text
   * would be one.
   */
  public Answer read(String text, boolean think) {
    Matcher matcher = (think ? withThought : withoutThought).matcher(text);
    if (!matcher.matches()) {
      return unparsed(text);
    }
    String thought = think ? matcher.group(1).strip() : "";
    String action = matcher.group(think ? 2 : 1).strip();
    boolean nested = mark.matcher(thought).find() || mark.matcher(action).find();
    return nested ? unparsed(text) : new Answer(thought, action);
  }

  /** Text that is not an answer, as where one was cut off. */
  public static Answer unparsed(String text) {
    return new Answer("", UNPARSED + text);
  }
}
