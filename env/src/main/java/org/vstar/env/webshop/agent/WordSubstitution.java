package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.env.Answer;
import org.vstar.env.Turn;

/**
 * Replaces the words of an episode by other words and its numbers by other numbers. A word has the
 * same replacement throughout the episode. What a policy can still imitate is to copy and to
 * compare. Without this a small model learns the few hundred products by heart.
 */
public final class WordSubstitution {

  /** A run of letters and digits, as word-level tokenizers see it. */
  private static final Pattern WORD = Pattern.compile("[^\\s\\p{Punct}\\p{IsPunctuation}]+");

  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private final List<String> words;
  private final List<String> numbers;
  private final Set<String> kept;

  /**
   * Collects the words.
   *
   * @param text lines whose words replace one another
   * @param kept lines whose words stay
   */
  public WordSubstitution(Collection<String> text, Collection<String> kept) {
    this.kept = words(kept);
    Set<String> all = words(text);
    all.removeAll(this.kept);
    this.words = all.stream().filter(word -> !isNumber(word)).toList();
    this.numbers = all.stream().filter(WordSubstitution::isNumber).toList();
  }

  private static boolean isNumber(String word) {
    return NUMBER.matcher(word).matches();
  }

  private static Set<String> words(Collection<String> lines) {
    Set<String> words = new TreeSet<>();
    for (String line : lines) {
      Matcher matcher = WORD.matcher(line.toLowerCase(Locale.ROOT));
      while (matcher.find()) {
        words.add(matcher.group());
      }
    }
    return words;
  }

  /** The episode in other words. */
  public List<Turn> substituted(List<Turn> turns, SplittableRandom random) {
    Map<String, String> other = new HashMap<>();
    Set<String> used = new HashSet<>();
    List<Turn> substituted = new ArrayList<>();
    for (Turn turn : turns) {
      substituted.add(
          new Turn(
              substitutedText(turn.observation(), other, used, random),
              new Answer(
                  substitutedText(turn.answer().thought(), other, used, random),
                  substitutedText(turn.answer().action(), other, used, random)),
              turn.outcome()));
    }
    return substituted;
  }

  private String substitutedText(
      String text, Map<String, String> other, Set<String> used, SplittableRandom random) {
    Matcher matcher = WORD.matcher(text.toLowerCase(Locale.ROOT));
    return matcher.replaceAll(
        m -> {
          String word = m.group();
          return Matcher.quoteReplacement(
              kept.contains(word)
                  ? word
                  : other.computeIfAbsent(word, w -> unused(w, used, random)));
        });
  }

  /** Another of the kind; the word itself if all are in use. */
  private String unused(String word, Set<String> used, SplittableRandom random) {
    List<String> pool = isNumber(word) ? numbers : words;
    if (pool.stream().allMatch(used::contains)) {
      return word;
    }
    String other;
    do {
      other = pool.get(random.nextInt(pool.size()));
    } while (!used.add(other));
    return other;
  }
}
