package org.vstar.env.webshop.agent;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.vstar.env.webshop.dialogue.Rewording;

/**
 * Replaces the words of an episode by other words and its numbers by other numbers. A word has the
 * same replacement throughout the episode, and words that differ in their endings have replacements
 * that do. Prices are all multiplied by one factor, and in some episodes raised by one sum, so that
 * what was cheaper stays cheaper. What a policy can still learn is to copy and to compare. Without
 * this a small model learns the few hundred products by heart.
 */
public final class WordSubstitution {

  /** A run of letters and digits, as tokenizers see it. */
  private static final Pattern WORD = Pattern.compile("[^\\s\\p{Punct}\\p{IsPunctuation}]+");

  /** A word that comes less often than this is rare, and many tokens. */
  private static final int FREQUENT = 5;

  /** Rare words begin with a letter, and are not several words that lack their spaces. */
  private static final Pattern RARE = Pattern.compile("\\p{L}[\\p{L}\\d]{2,11}");

  /** Frequent words that stand in for others are plain: no emoji and the like. */
  private static final Pattern PLAIN = Pattern.compile("[a-z]{3,}");

  private static final Pattern NUMBER = Pattern.compile("\\d+");

  /** Model numbers and the like. */
  private static final Pattern MIXED = Pattern.compile("\\d\\p{L}|\\p{L}\\d");

  /** Longer numbers, as in descriptions, would be many tokens. */
  private static final int LONGEST_NUMBER = 3;

  /** A price, or else a word. */
  private static final Pattern PRICE_OR_WORD =
      Pattern.compile(
          "((?<=\\$|\\$\\d{1,6}-)\\d{1,6}(?:\\.\\d{1,2})?|\\d{1,6}(?:\\.\\d{1,2})?(?= dollars))|"
              + WORD.pattern());

  /** Prices grow by at most this factor. Growing only, no two become one. */
  private static final double MOST_DEAR = 3;

  /** Prices that are raised are raised by less than this many dollars, all by the same. */
  private static final int MOST_RAISED = 400;

  /** So often a word is drawn before one that is free is looked for. */
  private static final int DRAWS = 20;

  private final List<String> stems;
  private final List<String> rareStems;
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
    this.stems = stems(all, w -> PLAIN.matcher(w).matches() && counts.get(w) >= FREQUENT).toList();
    Set<String> frequent = Set.copyOf(stems);
    this.rareStems =
        stems(all, w -> RARE.matcher(w).matches() && counts.get(w) < FREQUENT)
            .filter(stem -> !frequent.contains(stem))
            .toList();
    this.numbers = all.stream().filter(n -> isNumber(n) && n.length() <= LONGEST_NUMBER).toList();
  }

  private Stream<String> stems(List<String> words, Predicate<String> which) {
    return words.stream()
        .filter(which)
        .map(Wish::stem)
        .filter(stem -> !kept.contains(stem))
        .distinct();
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

  /** The replacements of one episode, all frequent words. */
  public Drawn draw(SplittableRandom random) {
    return draw(random, 0);
  }

  /**
   * The replacements of one episode.
   *
   * @param rareShare share of words that become rare ones
   */
  public Drawn draw(SplittableRandom random, double rareShare) {
    return draw(random, rareShare, 0);
  }

  /**
   * The replacements of one episode.
   *
   * @param rareShare share of words that become rare ones
   * @param raisedShare the probability that prices are raised by a sum, beside being multiplied: so
   *     higher ones are compared, which differ less for their size
   */
  public Drawn draw(SplittableRandom random, double rareShare, double raisedShare) {
    return new Drawn(random.split(), rareShare, raisedShare);
  }

  /** Replacements, drawn as words turn up. No two words have the same one. */
  public final class Drawn implements Rewording {
    private final SplittableRandom random;
    private final double rareShare;
    private final double priceFactor;
    private final int raised;
    private final Map<String, String> stemsDrawn = new HashMap<>();
    private final Map<String, String> other = new HashMap<>();
    private final Map<String, String> original = new HashMap<>();
    private final Map<String, String> originalPrice = new HashMap<>();

    private Drawn(SplittableRandom random, double rareShare, double raisedShare) {
      this.random = random;
      this.rareShare = rareShare;
      this.priceFactor = Math.pow(MOST_DEAR, random.nextDouble());
      // Nothing is drawn here without a share: a seed means what it meant without it.
      boolean raises = raisedShare > 0 && random.nextDouble() < raisedShare;
      this.raised = raises ? random.nextInt(MOST_RAISED) : 0;
    }

    /** Text in other words, in lower case. */
    @Override
    public String substituted(String text) {
      return replaced(text, this::dearer, this::substitute);
    }

    private String dearer(String price) {
      BigDecimal exact =
          new BigDecimal(price)
              .multiply(BigDecimal.valueOf(priceFactor))
              .add(BigDecimal.valueOf(raised));
      int decimals = price.contains(".") ? price.length() - price.indexOf('.') - 1 : 0;
      String dearer = exact.setScale(decimals, RoundingMode.CEILING).toPlainString();
      originalPrice.put(dearer, price);
      return dearer;
    }

    private String substitute(String word) {
      if (word.length() == 1 || kept.contains(word)) {
        return word;
      }
      return other.computeIfAbsent(word, this::drawn);
    }

    private String drawn(String word) {
      if (isNumber(word)) {
        return drawn(word, numbers, numbers, "");
      }
      return MIXED.matcher(word).find() ? ofSameForm(word) : inflected(word);
    }

    /** "2pcs" becomes "7kdm": so policies learn to copy such words, letter by letter. */
    private String ofSameForm(String word) {
      for (int i = 0; i < DRAWS; i++) {
        String drawn =
            word.chars()
                .map(
                    c -> Character.isDigit(c) ? '0' + random.nextInt(10) : 'a' + random.nextInt(26))
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        if (take(drawn, word)) {
          return drawn;
        }
      }
      original.putIfAbsent(word, word);
      return word;
    }

    /** "pillows" becomes what "pillow" becomes, and an s. */
    private String inflected(String word) {
      String stem = Wish.stem(word);
      String ending = word.substring(stem.length());
      String known = stemsDrawn.get(stem);
      if (known != null && take(known + ending, word)) {
        return known + ending;
      }
      // Without rare words nothing is drawn here: a seed means what it meant without them.
      boolean rare = rareShare > 0 && random.nextDouble() < rareShare;
      String drawn = drawn(word, rare ? rareStems : stems, stems, ending);
      stemsDrawn.putIfAbsent(stem, drawn.substring(0, drawn.length() - ending.length()));
      return drawn;
    }

    /**
     * A replacement that stands for no other word: one of a pool, else one of a reserve, else the
     * word itself.
     */
    private String drawn(String word, List<String> pool, List<String> reserve, String ending) {
      for (int i = 0; i < DRAWS && !pool.isEmpty(); i++) {
        String drawn = pool.get(random.nextInt(pool.size())) + ending;
        if (take(drawn, word)) {
          return drawn;
        }
      }
      String free =
          reserve.stream().map(p -> p + ending).filter(p -> take(p, word)).findFirst().orElse(word);
      original.putIfAbsent(free, word);
      return free;
    }

    private boolean take(String replacement, String word) {
      return !kept.contains(replacement) && original.putIfAbsent(replacement, word) == null;
    }

    @Override
    public String restored(String text) {
      return replaced(
          text,
          price -> originalPrice.getOrDefault(price, price),
          word -> original.getOrDefault(word, word));
    }

    private static String replaced(
        String text, UnaryOperator<String> price, UnaryOperator<String> word) {
      return PRICE_OR_WORD
          .matcher(text.toLowerCase(Locale.ROOT))
          .replaceAll(
              m ->
                  Matcher.quoteReplacement(
                      m.group(1) != null ? price.apply(m.group()) : word.apply(m.group())));
    }
  }
}
