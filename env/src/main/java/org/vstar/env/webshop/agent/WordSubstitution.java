package org.vstar.env.webshop.agent;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.env.Answer;
import org.vstar.env.Turn;

/**
 * Replaces the words of an episode by other words and its numbers by other numbers. A word has the
 * same replacement throughout the episode, and words that differ in their endings have replacements
 * that do. Prices are all multiplied by one factor, so that what was cheaper stays cheaper. What a
 * policy can still learn is to copy and to compare. Without this a small model learns the few
 * hundred products by heart.
 */
public final class WordSubstitution {

  /** A run of letters and digits, as tokenizers see it. */
  private static final Pattern WORD = Pattern.compile("[^\\s\\p{Punct}\\p{IsPunctuation}]+");

  /** Words that stand in for others are as frequent as this: rare ones are many tokens. */
  private static final int FREQUENT = 5;

  /** And no emoji and the like. */
  private static final Pattern PLAIN = Pattern.compile("[a-z]{3,}");

  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final String CURRENCY = " dollars";
  private static final int LONGEST_PRICE = 6;
  private static final int LONGEST_NUMBER = 3;

  /** Prices grow by at most this factor. Growing only, no two become one. */
  private static final double MOST_DEAR = 3;

  private final List<String> stems;
  private final List<String> numbers;
  private final Set<String> kept;

  /**
   * Collects the words.
   *
   * @param text lines whose words replace one another
   * @param kept lines whose words stay
   */
  public WordSubstitution(Collection<String> text, Collection<String> kept) {
    this.kept = Set.copyOf(counts(kept).keySet());
    Map<String, Integer> counts = counts(text);
    List<String> all = counts.keySet().stream().filter(w -> !this.kept.contains(w)).toList();
    this.stems =
        all.stream()
            .filter(w -> PLAIN.matcher(w).matches() && counts.get(w) >= FREQUENT)
            .map(Wish::stem)
            .filter(stem -> !this.kept.contains(stem))
            .distinct()
            .toList();
    this.numbers = all.stream().filter(n -> isNumber(n) && n.length() <= LONGEST_NUMBER).toList();
  }

  private static boolean isNumber(String word) {
    return NUMBER.matcher(word).matches();
  }

  private static Map<String, Integer> counts(Collection<String> lines) {
    Map<String, Integer> counts = new TreeMap<>();
    for (String line : lines) {
      Matcher matcher = WORD.matcher(line.toLowerCase(Locale.ROOT));
      while (matcher.find()) {
        counts.merge(matcher.group(), 1, Integer::sum);
      }
    }
    return counts;
  }

  /** The replacements of one episode. */
  public Drawn draw(SplittableRandom random) {
    return new Drawn(random.split());
  }

  /** Replacements, drawn as words turn up. */
  public final class Drawn {
    private final SplittableRandom random;
    private final double priceFactor;
    private final Map<String, String> other = new HashMap<>();
    private final Map<String, String> original = new HashMap<>();

    private Drawn(SplittableRandom random) {
      this.random = random;
      this.priceFactor = Math.pow(MOST_DEAR, random.nextDouble());
    }

    /** An episode in other words. */
    public List<Turn> substituted(List<Turn> turns) {
      return turns.stream()
          .map(
              turn ->
                  new Turn(
                      substituted(turn.observation()),
                      new Answer(
                          substituted(turn.answer().thought()),
                          substituted(turn.answer().action())),
                      turn.outcome(),
                      turn.slip()))
          .toList();
    }

    /** Text in other words, in lower case. */
    public String substituted(String text) {
      String lower = text.toLowerCase(Locale.ROOT);
      return WORD.matcher(lower)
          .replaceAll(m -> Matcher.quoteReplacement(substitute(lower, m.start(), m.end())));
    }

    private String substitute(String text, int from, int to) {
      String word = text.substring(from, to);
      if (isNumber(word) && word.length() <= LONGEST_PRICE && isPrice(text, from, to)) {
        return Long.toString((long) Math.ceil(Long.parseLong(word) * priceFactor));
      } else if (word.length() == 1 || kept.contains(word)) {
        return word;
      } else if (isNumber(word)) {
        return other.computeIfAbsent(word, w -> unused(w, numbers));
      }
      // "pillows" becomes what "pillow" becomes, and an s.
      String stem = Wish.stem(word);
      return other.computeIfAbsent(stem, s -> unused(s, stems)) + word.substring(stem.length());
    }

    private static boolean isPrice(String text, int from, int to) {
      return from > 0 && text.charAt(from - 1) == '$' || text.startsWith(CURRENCY, to);
    }

    /** Another of the kind; the word itself if all are in use. */
    private String unused(String word, List<String> pool) {
      if (original.keySet().containsAll(pool)) {
        return word;
      }
      String drawn;
      do {
        drawn = pool.get(random.nextInt(pool.size()));
      } while (original.putIfAbsent(drawn, word) != null);
      return drawn;
    }

    /** What an agent that reads the other words means by its own. */
    public String restored(String text) {
      return WORD.matcher(text.toLowerCase(Locale.ROOT))
          .replaceAll(m -> Matcher.quoteReplacement(restore(m.group())));
    }

    private String restore(String word) {
      if (kept.contains(word)) {
        return word;
      } else if (original.containsKey(word)) {
        return original.get(word);
      }
      // The longest stem that stands for one: the ending is the word's own.
      for (int length = word.length() - 1; length > 0; length--) {
        String stem = original.get(word.substring(0, length));
        if (stem != null && Wish.isEnding(word.substring(length))) {
          return stem + word.substring(length);
        }
      }
      return word;
    }
  }
}
