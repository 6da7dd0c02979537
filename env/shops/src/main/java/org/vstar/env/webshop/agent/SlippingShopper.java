package org.vstar.env.webshop.agent;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.vstar.env.Answer;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Turn;

/**
 * A shopper that errs now and then as policies do: it repeats words of a search or a thought until
 * its turn ends, takes an option for there that is not, writes half an option's value, opens a
 * product that it did not mean. Then it is itself again. A policy that saw only faultless episodes
 * would not know what to do after an error of its own.
 *
 * <p>It remembers its slips, so each episode needs one of its own.
 */
public final class SlippingShopper implements Shopper {

  /** A slip, and opening or searching again, must leave turns enough. */
  private static final int TURNS_TO_SPARE = 9;

  /** Words of a search or thought that is cut off, at least and less than. */
  private static final int LEAST_WORDS = 40;

  private static final int MOST_WORDS = 160;

  /** The longest run of words that it repeats. */
  private static final int LONGEST_RUN = 8;

  private final Shopper shopper;
  private final Supplier<ShopLexicon> language;
  private final AnswerFormat format;
  private final double rate;
  private final int maxTurns;
  private final BitSet slips = new BitSet();

  /**
   * A shopper that errs.
   *
   * @param shopper the one that errs; it must find its way from any page
   * @param language what it knows of the shop's language
   * @param format how its answers are written, and cut off
   * @param rate the probability of a slip in a turn
   */
  public SlippingShopper(
      Shopper shopper,
      Supplier<ShopLexicon> language,
      AnswerFormat format,
      double rate,
      int maxTurns) {
    this.shopper = shopper;
    this.language = language;
    this.format = format;
    this.rate = rate;
    this.maxTurns = maxTurns;
  }

  /** The episode that it played, with its slips marked. */
  public List<Turn> marked(List<Turn> turns) {
    return IntStream.range(0, turns.size())
        .mapToObj(
            i ->
                new Turn(
                    turns.get(i).observation(),
                    turns.get(i).answer(),
                    turns.get(i).outcome(),
                    slips.get(i)))
        .toList();
  }

  @Override
  public Answer answer(List<Visit> history, ShopPage page, SplittableRandom random) {
    int turn = history.size();
    if (maxTurns - turn >= TURNS_TO_SPARE && random.nextDouble() < rate) {
      slips.set(turn);
      return slip(history, page, random);
    }
    return shopper.answer(history, page, random);
  }

  private Answer slip(List<Visit> history, ShopPage page, SplittableRandom random) {
    Wish wish = Wish.of(page.instruction(), language.get());
    List<String> products = page.products();
    boolean other = random.nextInt(3) == 0;
    if (!other && page.isIndex()) {
      return cutOffSearch(wish, random);
    }
    Optional<Answer> cutOff =
        page.isIndex() || random.nextInt(3) > 0
            ? Optional.empty()
            : cutOffThought(shopper.answer(history, page, random), random);
    if (cutOff.isPresent()) {
      return cutOff.get();
    } else if (!other && page.isItem() && !wish.options().isEmpty() && justOpened(history)) {
      return wrongChoice(page, wish, random);
    } else if (!products.isEmpty() && random.nextBoolean()) {
      return new Answer("", "click[" + any(products, random) + "]");
    }
    String word = any(List.of(page.instruction().split(" ")), random).replaceAll("[\\[\\]]", "");
    return new Answer("", random.nextBoolean() ? "search[" + word + "]" : "click[no " + word + "]");
  }

  private static boolean justOpened(List<Visit> history) {
    return CarefulShopper.lastValid(history).opensProduct();
  }

  /** A search that goes round in a circle, without an end. */
  private Answer cutOffSearch(Wish wish, SplittableRandom random) {
    String circle = circle(wish.query(), random);
    String whole = format.write(new Answer("", "search " + circle), true);
    return AnswerFormat.unparsed(whole.substring(0, whole.length() - format.close().length()));
  }

  /** A thought that does so, if there is one. */
  private Optional<Answer> cutOffThought(Answer right, SplittableRandom random) {
    if (right.thought().isEmpty()) {
      return Optional.empty();
    }
    String circle = circle(right.thought(), random);
    String whole = format.write(new Answer(circle, right.action()), true);
    return Optional.of(
        AnswerFormat.unparsed(whole.substring(0, whole.indexOf(circle) + circle.length())));
  }

  /** The first words of a text, and then the last of those again and again. */
  private static String circle(String text, SplittableRandom random) {
    List<String> words = List.of(text.split(" "));
    int end = 1 + random.nextInt(words.size());
    int start = Math.max(0, end - 1 - random.nextInt(LONGEST_RUN));
    List<String> written = new ArrayList<>(words.subList(0, end));
    int length = random.nextInt(LEAST_WORDS, MOST_WORDS);
    while (written.size() < length) {
      written.addAll(words.subList(start, end));
    }
    return String.join(" ", written);
  }

  /** A value that the product lacks, as if it had it; or half of one that it has. */
  private static Answer wrongChoice(ShopPage page, Wish wish, SplittableRandom random) {
    List<String> lacking =
        wish.options().stream().filter(o -> !page.choices().contains(o)).toList();
    String value = any(lacking.isEmpty() ? wish.options() : lacking, random);
    if (lacking.isEmpty()) {
      value = value.contains(" ") ? value.substring(0, value.lastIndexOf(' ')) : value + " no";
    }
    return new Answer(BrowsingHistory.misjudged(wish), "click[" + value + "]");
  }

  private static String any(List<String> all, SplittableRandom random) {
    return all.get(random.nextInt(all.size()));
  }
}
