package org.vstar.env.webshop.agent;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.vstar.env.Answer;
import org.vstar.env.webshop.agent.BrowsingHistory.Look;
import org.vstar.env.webshop.agent.ShopPage.Result;
import org.vstar.env.webshop.simulator.Label;

/**
 * A shopper that compares. From what pages show, and nothing else, it
 *
 * <ol>
 *   <li>searches for all that the instruction says but its price, and for the options three times
 *       more, because the search counts what a query repeats; if that was cut off, for less;
 *   <li>opens results in their order, but for those whose lowest price is too high;
 *   <li>checks that a product has every wanted option, and no option that was not spoken of;
 *   <li>reads the features of one that has, and buys it if title and features say of each attribute
 *       that it has it;
 *   <li>otherwise looks further, at another search's results too if it named options, and buys the
 *       best that it saw when products or turns run out.
 * </ol>
 *
 * <p>Its thoughts say what it checked and how the product stands among those that it has seen,
 * {@code color yes, size yes; color · red yes; size · large no; 1 wrong, best 4}, and what it has
 * chosen, {@code color · red chosen; size · large next}. Demonstrations say less of values that are
 * not there: see {@link FirstDifference}. It is what a policy can be measured against, and what it
 * learns from.
 *
 * @param language what it knows of the shop's language
 * @param maxTurns turns of an episode
 * @param featuresUpTo it does step 4 if a wish names at most so many options: the more it names,
 *     the less features decide. With −1 it never does, with {@link #ALWAYS} whatever the wish
 */
public record CarefulShopper(Supplier<ShopLexicon> language, int maxTurns, int featuresUpTo)
    implements Shopper {

  /** Features are read whatever a wish names. */
  public static final int ALWAYS = Integer.MAX_VALUE;

  private static final int MOST_LOOKS = 5;
  private static final String BACK = Label.PREVIOUS.clicked();

  /** Opening a product and going back. */
  private static final int ANOTHER_LOOK = 2;

  /**
   * Where a shopper is.
   *
   * @param left turns left, this one included
   */
  private record Situation(Wish wish, ShopLexicon lexicon, BrowsingHistory looks, int left) {

    /** Whether there are turns for some more before every option is chosen and it is bought. */
    boolean timeFor(int turns) {
      return left >= turns + wish.options().size() + 1;
    }

    boolean seenNothing() {
      return looks.all().isEmpty();
    }

    Look best() {
      return looks.best(wish, lexicon).orElseThrow();
    }

    String withStanding(String check) {
      String standing = looks.standing(wish, lexicon);
      return check.isEmpty() ? standing : check + "; " + standing;
    }

    /**
     * Turns from the last search's results to the best product: one that it showed needs no search.
     */
    int wayToBest() {
      return best().query.equals(looks.lastQuery()) ? 1 : 2;
    }

    /** Whether there are turns to open one more, and to go back and open the best if it is none. */
    boolean timeForAnother() {
      return seenNothing() ? timeFor(1) : timeFor(ANOTHER_LOOK + wayToBest());
    }
  }

  @Override
  public Answer answer(List<Visit> history, ShopPage page, SplittableRandom random) {
    ShopLexicon lexicon = language.get();
    Wish wish = Wish.of(page.instruction(), lexicon);
    Situation now =
        new Situation(wish, lexicon, new BrowsingHistory(history, page), maxTurns - history.size());
    if (page.isIndex()) {
      return search("", history.isEmpty() ? wish.query() : wish.shortQuery());
    } else if (page.isResults()) {
      return onResults(page.results(), now);
    } else if (page.isItem()) {
      return onProduct(page, now, history);
    }
    return click(BrowsingHistory.attributeCheck(now.looks.here(), wish), BACK);
  }

  private static Answer click(String thought, String what) {
    return new Answer(thought, "click[" + what + "]");
  }

  private static Answer search(String thought, String words) {
    return new Answer(thought, "search[" + words + "]");
  }

  private Answer onResults(List<Result> results, Situation now) {
    Wish wish = now.wish;
    BrowsingHistory looks = now.looks;
    List<String> own = List.of(wish.query(), wish.otherQuery(), wish.shortQuery(), wish.type());
    boolean back = !now.seenNothing() && now.best().query.equals(looks.lastQuery());
    if (!back && !own.contains(looks.lastQuery())) {
      // A slip has led here.
      return search("", wish.query());
    }
    List<Result> unseen =
        results.stream()
            .filter(r -> r.number() > looks.lastChosen() && !looks.seen(r.asin()))
            .toList();
    Optional<Result> next = unseen.stream().filter(r -> suits(r, wish)).findFirst();
    String thought = compared(unseen, next, wish);
    boolean more = looks.all().size() < MOST_LOOKS && now.timeForAnother();
    // Search, look, and search again to open the best of the first results.
    boolean searchMore = more && now.timeFor(1 + ANOTHER_LOOK + 2);
    if (next.isEmpty() && searchMore && !looks.queries().contains(wish.otherQuery())) {
      return search(thought, wish.otherQuery());
    } else if (next.isPresent() && more) {
      return click(thought, next.get().asin());
    } else if (now.seenNothing()) {
      return results.isEmpty() ? search("", wish.type()) : click(thought, results.get(0).asin());
    }
    return openBest(results, now);
  }

  private Answer openBest(List<Result> results, Situation now) {
    Look best = now.best();
    return results.stream()
        .filter(r -> r.asin().equals(best.result.asin()))
        .findFirst()
        .map(r -> click(BrowsingHistory.BEST + " " + r.number(), r.asin()))
        .orElse(search(BrowsingHistory.BEST, best.query));
  }

  /** Whether the lowest price is low enough: somewhere in a range is what it costs. */
  private static boolean suits(Result result, Wish wish) {
    return result.minPrice() <= wish.maxPrice();
  }

  /** {@code 1 $45 $30 no; 2 $20 $30 yes}: the lowest price, and what it may be. */
  private static String compared(List<Result> unseen, Optional<Result> next, Wish wish) {
    return unseen.stream()
        .limit(next.isEmpty() ? unseen.size() : unseen.indexOf(next.get()) + 1L)
        .map(
            r ->
                (r.number() + " " + r.price() + " " + wish.bound()).strip()
                    + (suits(r, wish) ? " yes" : " no"))
        .collect(Collectors.joining("; "));
  }

  private Answer onProduct(ShopPage page, Situation now, List<Visit> history) {
    Look here = now.looks.here();
    Visit before = lastValid(history);
    boolean justOpened = before.opensProduct();
    boolean choosing = !justOpened && !before.answer().action().equals("click[" + BACK + "]");
    String thought =
        justOpened
            ? BrowsingHistory.optionCheck(here, now.wish, now.lexicon)
            : afterFeatures(here, now.wish);
    if (!here.settled && !choosing) {
      if (worthReading(here, now)) {
        return click(thought, Label.FEATURES.clicked());
      } else if (leaves(here, now)) {
        return click(justOpened ? now.withStanding(thought) : thought, BACK);
      }
    }
    List<String> wanted = now.wish.options().stream().filter(page.choices()::contains).toList();
    Optional<String> next = Shoppers.nextChoice(history, wanted);
    String choices = BrowsingHistory.choices(here, now.wish, next);
    return click(
        justOpened || choices.isEmpty() ? thought : choices, next.orElse(Label.BUY.clicked()));
  }

  /** Whether another product is to be opened, a new one or the best. */
  private boolean leaves(Look here, Situation now) {
    boolean another = !isRight(here, now) && now.timeFor(1 + ANOTHER_LOOK + now.wayToBest());
    return another || now.best() != here && now.timeFor(1 + now.wayToBest());
  }

  private static String afterFeatures(Look here, Wish wish) {
    return here.featuresRead() ? BrowsingHistory.attributeVerdict(here, wish) : "";
  }

  /** Whether features can decide, and there is time to read them. */
  private boolean worthReading(Look here, Situation now) {
    return now.wish.options().size() <= featuresUpTo
        && !here.featuresRead()
        && here.fits(now.wish, now.lexicon)
        && !now.wish.attributes().isEmpty()
        && now.timeFor(2);
  }

  /** Whether nothing is known to be wrong with it. */
  private boolean isRight(Look here, Situation now) {
    return here.fits(now.wish, now.lexicon)
        && (!here.featuresRead() || here.missing(now.wish).isEmpty());
  }

  /** The last turn whose action the shop took. */
  static Visit lastValid(List<Visit> history) {
    int last = history.size() - 1;
    while (!history.get(last).valid()) {
      last--;
    }
    return history.get(last);
  }
}
