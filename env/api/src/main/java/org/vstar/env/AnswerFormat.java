package org.vstar.env;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.env.python.PythonText;

/** How an agent marks its thought and its action. */
public enum AnswerFormat {
  /** RAGEN's {@code <think>…</think><answer>…</answer>}. */
  ANSWER("answer"),
  /** verl-agent's {@code <think>…</think><action>…</action>}. */
  ACTION("action"),

  /**
   * As RAGEN's own loop reads: {@link #ANSWER} anywhere in the text, the first there is; marks
   * within thought and action are removed.
   */
  RAGEN("answer");

  /** Stands before text that is not an answer. No action begins so. */
  private static final String UNPARSED = "<unparsed>";

  private static final String THINK = "<think>";
  private static final String THOUGHT = "</think>";

  /** What RAGEN removes, in this order. */
  private static final List<String> REMOVED =
      List.of(THINK, THOUGHT, "<answer>", "</answer>", "<|im_start|>", "<|im_end|>");

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
    if (this == RAGEN) {
      return readAnywhere(text, think);
    }
    Matcher matcher = (think ? withThought : withoutThought).matcher(text);
    if (!matcher.matches()) {
      return unparsed(text);
    }
    String thought = think ? matcher.group(1).strip() : "";
    String action = matcher.group(think ? 2 : 1).strip();
    boolean nested = mark.matcher(thought).find() || mark.matcher(action).find();
    return nested ? unparsed(text) : new Answer(thought, action);
  }

  private Answer readAnywhere(String text, boolean think) {
    if (!think) {
      return behind("", text, text.indexOf(open));
    }
    int begin = text.indexOf(THINK);
    int end = begin < 0 ? -1 : endOfThought(text, begin + THINK.length());
    return end < 0
        ? unparsed(text)
        : behind(
            text.substring(begin + THINK.length(), end),
            text,
            PythonText.behindSpace(text, end + THOUGHT.length()));
  }

  /** The end of the first thought that an action follows, with white space between the two. */
  private int endOfThought(String text, int from) {
    int end = text.indexOf(THOUGHT, from);
    while (end >= 0
        && !text.startsWith(open, PythonText.behindSpace(text, end + THOUGHT.length()))) {
      end = text.indexOf(THOUGHT, end + 1);
    }
    return end;
  }

  private Answer behind(String thought, String text, int action) {
    int end = action < 0 ? -1 : text.indexOf(close, action + open.length());
    return end < 0
        ? unparsed(text)
        : new Answer(
            withoutMarks(thought), withoutMarks(text.substring(action + open.length(), end)));
  }

  private static String withoutMarks(String text) {
    String clean = text;
    for (String mark : REMOVED) {
      clean = PythonText.strip(clean.replace(mark, ""));
    }
    return clean;
  }

  /** Whether an action is text that was {@linkplain #unparsed no answer}. */
  public static boolean isUnparsed(String action) {
    return action.startsWith(UNPARSED);
  }

  /** Text that is not an answer, as where one was cut off. */
  public static Answer unparsed(String text) {
    return new Answer("", UNPARSED + text);
  }
}
