package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.env.Answer;
import org.vstar.env.Turn;
import org.vstar.env.webshop.dialogue.CompactDialogue;

/**
 * Option checks that stop where a value differs. Of a value that a product lacks they say no more
 * than up to the first word that none of its values goes on with: where it has {@code light gray},
 * {@code light blue 2 no} becomes {@code light blue no}. So each word of a thought is a small
 * verdict: whoever writes it compares one word more, instead of all of them at the end.
 */
public final class FirstDifference {

  /** Words and numbers are parts, and so is each mark. */
  private static final Pattern PART = Pattern.compile("\\p{L}+|\\p{N}+|[^\\s\\p{L}\\p{N}]");

  private static final Pattern LACKING =
      Pattern.compile("(?<=" + CompactDialogue.VALUE + ")[^;]*?(?= no(?:;|\\z))");

  /** The name that comes first in a product's options comes again, before its values. */
  private static final Pattern PRODUCT =
      Pattern.compile(
          "\\d+ left\\. \\d+ (?:no options\\.|([^,;·]+)[^;·]*; \\1"
              + CompactDialogue.VALUE
              + ".*)");

  private FirstDifference() {}

  /**
   * An episode whose option checks stop there.
   *
   * @param turns of a compact dialogue: the product page that came last is what a thought is about.
   *     Those of other dialogues stay as they are
   */
  public static List<Turn> of(List<Turn> turns) {
    List<Turn> brief = new ArrayList<>();
    String product = "";
    for (Turn turn : turns) {
      String shown = turn.observation();
      if (PRODUCT.matcher(shown).matches()) {
        product = shown;
      }
      String thought = turn.answer().thought();
      Answer answer =
          new Answer(product.isEmpty() ? thought : brief(thought, product), turn.answer().action());
      brief.add(new Turn(shown, answer, turn.outcome(), turn.slip()));
    }
    return brief;
  }

  private static String brief(String thought, String product) {
    return LACKING
        .matcher(thought)
        .replaceAll(m -> Matcher.quoteReplacement(upToDifference(m.group(), product)));
  }

  /** The shortest beginning that no value of the product has; all of it, if they go on after it. */
  private static String upToDifference(String value, String product) {
    Matcher part = PART.matcher(value);
    while (part.find()) {
      String beginning = value.substring(0, part.end());
      if (!begins(beginning, product)) {
        return beginning;
      }
    }
    return value;
  }

  private static boolean begins(String beginning, String product) {
    String from = CompactDialogue.VALUE + beginning;
    for (int at = product.indexOf(from); at >= 0; at = product.indexOf(from, at + 1)) {
      int end = at + from.length();
      if (end == product.length()
          || !sameKind(from.charAt(from.length() - 1), product.charAt(end))) {
        return true;
      }
    }
    return false;
  }

  /** Whether two characters are of one word or number. */
  private static boolean sameKind(char a, char b) {
    return Character.isLetter(a) && Character.isLetter(b)
        || Character.isDigit(a) && Character.isDigit(b);
  }
}
