package org.vstar.env.webshop.dialogue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.vstar.env.python.PythonText;
import org.vstar.env.webshop.simulator.Page;

/**
 * verl-agent's way of talking to an agent: its prompts, and how it reads an action out of an
 * answer. Character for character, so that agents trained there can be measured here.
 */
public final class VerlAgentFormat {

  private static final String SEPARATOR = " [SEP] ";
  private static final int HISTORY = 2;
  private static final int LONGEST_PROMPT = 13_000;
  private static final int LAST_CHARACTERS = 20;
  private static final String OPEN = "<action>";
  private static final String CLOSE = "</action>";
  private static final Pattern CHINESE = Pattern.compile("[\\u4e00-\\u9fff]");

  private static final String FIRST_HEAD =
      "\nYou are an expert autonomous agent operating in the WebShop e‑commerce environment. \n"
          + "Your task is to: %s.\nYour current observation is: %s.\n";
  private static final String LATER_HEAD =
      "\nYou are an expert autonomous agent operating in the WebShop e‑commerce environment.\n"
          + "Your task is to: %s.\nPrior to this step, you have already taken %d step(s). Below are"
          + " the most recent %d observations and the corresponding actions you took: %s\n"
          + "You are now at step %d and your current observation is: %s.\n";
  private static final String TAIL =
      "Your admissible actions of the current situation are: \n[\n%s\n].\n\n"
          + "Now it's your turn to take one action for the current step.\n"
          + "You should first reason step-by-step about the current situation, then think carefully"
          + " which admissible action best advances the shopping goal. This reasoning process MUST"
          + " be enclosed within <think> </think> tags. \n"
          + "Once you've finished your reasoning, you should choose an admissible action for current"
          + " step and present it within <action> </action> tags.\n";

  private VerlAgentFormat() {}

  /** An observation that was shown, as {@link #observation} writes it, and the action on it. */
  public record PastTurn(String observation, String action) {}

  /**
   * An action that was read out of an answer.
   *
   * @param valid whether the answer had the form; says nothing about whether the shop can do it
   */
  public record Projected(String action, boolean valid) {}

  /** What the agent is to do: the third field of the first observation. */
  public static String task(String firstObservation) {
    return firstObservation.split(Pattern.quote(SEPARATOR), -1)[2];
  }

  /** A page's fields behind the task, each in quotes; a page without the task stays as it is. */
  public static String observation(Page page, String task) {
    String text = page.text();
    List<String> fields = Arrays.asList(text.split(Pattern.quote(SEPARATOR), -1));
    int at = fields.indexOf(task);
    if (at < 0) {
      return text;
    }
    List<String> quoted = new ArrayList<>();
    fields.subList(at + 1, fields.size()).forEach(field -> quoted.add("'" + field + "'"));
    return String.join(SEPARATOR, quoted);
  }

  /**
   * The prompt for one step.
   *
   * @param past all earlier steps; the last two are shown, unless the prompt gets too long
   */
  public static String prompt(Page page, String task, List<PastTurn> past) {
    String observation = observation(page, task);
    String tail = String.format(Locale.ROOT, TAIL, actions(page));
    String first = String.format(Locale.ROOT, FIRST_HEAD, task, observation) + tail;
    if (past.isEmpty()) {
      return first;
    }
    int steps = past.size();
    int shown = Math.min(HISTORY, steps);
    List<String> lines = new ArrayList<>();
    for (int i = steps - shown; i < steps; i++) {
      PastTurn p = past.get(i);
      int n = i + 1;
      lines.add(
          "[Observation " + n + ": '" + p.observation + "', Action " + n + ": '" + p.action + "']");
    }
    String history = String.join("\n", lines);
    String later =
        String.format(Locale.ROOT, LATER_HEAD, task, steps, shown, history, steps + 1, observation)
            + tail;
    return later.codePointCount(0, later.length()) > LONGEST_PROMPT ? first : later;
  }

  private static String actions(Page page) {
    List<String> actions = new ArrayList<>();
    if (page.searchBar()) {
      actions.add("'search[<your query>]',");
    }
    page.clickables().keySet().forEach(text -> actions.add("'click[" + text + "]',"));
    return String.join("\n", actions);
  }

  /** Reads an action out of an answer. */
  public static Projected project(String answer) {
    String lower = PythonText.lower(answer);
    int open = lower.indexOf(OPEN);
    int close = lower.indexOf(CLOSE);
    if (open < 0 || close < 0) {
      int characters = lower.codePointCount(0, lower.length());
      int last = lower.offsetByCodePoints(0, Math.max(0, characters - LAST_CHARACTERS));
      return new Projected(lower.substring(last), false);
    }
    int from = open + OPEN.length();
    String action = from < close ? PythonText.strip(lower.substring(from, close)) : "";
    boolean thought = answer.contains("<think>") && answer.contains("</think>");
    return new Projected(action, thought && !CHINESE.matcher(answer).find());
  }
}
