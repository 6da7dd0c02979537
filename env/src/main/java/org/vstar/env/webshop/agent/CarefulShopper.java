package org.vstar.env.webshop.agent;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vstar.env.Agent;
import org.vstar.env.Answer;
import org.vstar.env.Turn;
import org.vstar.env.webshop.agent.Looks.Look;
import org.vstar.env.webshop.agent.ParsedPage.Result;

/**
 * A shopper that compares. From what pages show, and nothing else, it
 *
 * <ol>
 *   <li>searches for the type of product and, several times, for the options, because the search
 *       counts what a query repeats;
 *   <li>opens results in their order, but for those that cost too much or are for the other sex;
 *   <li>checks that a product has every wanted option, and no option that was not spoken of;
 *   <li>reads the features of one that has, and buys it if title and features say all that it has
 *       to be;
 *   <li>otherwise looks further, at another search's results too, and buys the best that it saw
 *       when products or turns run out.
 * </ol>
 *
 * <p>Its thoughts say what it checked: {@code red yes; large no}. It is what a policy can be
 * measured against, and what it learns from.
 *
 * @param lexicon what it knows of the shop's language
 * @param maxTurns turns of an episode
 * @param readsFeatures whether it does step 4; otherwise the options decide
 */
public record CarefulShopper(ShopLexicon lexicon, int maxTurns, boolean readsFeatures)
    implements Agent {

  private static final int MOST_LOOKS = 5;
  private static final String BACK = "< prev";

  /** Opening a product, going back and opening the best one again. */
  private static final int ANOTHER_LOOK = 3;

  @Override
  public Answer answer(List<Turn> history, String observation, SplittableRandom random) {
    ParsedPage page = ParsedPage.of(observation);
    Wish wish = Wish.of(page.instruction(), lexicon);
    Looks looks = new Looks(history, observation);
    int left = maxTurns - history.size();
    if (page.isIndex()) {
      return new Answer(wish.type(), "search[" + wish.query() + "]");
    } else if (page.isResults()) {
      return onResults(page.results(), wish, looks, left);
    } else if (page.isItem()) {
      return onProduct(page, wish, looks, history, left);
    }
    return click(Looks.attributeCheck(looks.here(), wish), BACK);
  }

  private static Answer click(String thought, String what) {
    return new Answer(thought, "click[" + what + "]");
  }

  private Answer onResults(List<Result> results, Wish wish, Looks looks, int left) {
    int finish = wish.options().size() + 1;
    List<Result> unseen =
        results.stream()
            .filter(r -> r.number() > looks.lastOpened() && !looks.seen(r.asin()))
            .toList();
    Optional<Result> next = unseen.stream().filter(r -> suits(r, wish)).findFirst();
    boolean first = looks.all().isEmpty();
    boolean time = left >= (first ? 1 : ANOTHER_LOOK) + finish && looks.all().size() < MOST_LOOKS;
    Optional<String> another =
        Stream.of(wish.query(), wish.otherQuery())
            .filter(query -> !looks.queries().contains(query))
            .findFirst();
    String thought = compared(unseen, next, wish);
    boolean astray = !looks.queries().contains(wish.query());
    if (another.isPresent()
        && (astray || next.isEmpty() && time && left >= 2 + ANOTHER_LOOK + finish)) {
      return new Answer(astray ? wish.type() : thought, "search[" + another.get() + "]");
    } else if (next.isPresent() && time) {
      return click(thought, next.get().asin());
    } else if (first) {
      return results.isEmpty()
          ? new Answer("", "search[" + wish.type() + "]")
          : click(thought, results.get(0).asin());
    }
    Look best = looks.best(wish, lexicon).orElseThrow();
    return results.stream()
        .filter(r -> r.asin().equals(best.result.asin()))
        .findFirst()
        .map(r -> click("best " + r.number(), r.asin()))
        .orElse(new Answer("best", "search[" + best.query + "]"));
  }

  private static boolean suits(Result result, Wish wish) {
    return result.maxPrice() <= wish.maxPrice() && !otherSex(result, wish);
  }

  private static boolean otherSex(Result result, Wish wish) {
    String wanted = Wish.wearer(wish.type());
    String wearer = Wish.wearer(result.title());
    return !wanted.isEmpty() && !wearer.isEmpty() && !wanted.equals(wearer);
  }

  /** {@code 1 $45 no; 2 women no; 3 $20 yes}. */
  private static String compared(List<Result> unseen, Optional<Result> next, Wish wish) {
    return unseen.stream()
        .limit(next.isEmpty() ? unseen.size() : unseen.indexOf(next.get()) + 1L)
        .map(
            r ->
                r.number()
                    + (otherSex(r, wish)
                        ? " " + Wish.wearer(r.title())
                        : " $" + (long) Math.ceil(r.maxPrice()))
                    + (suits(r, wish) ? " yes" : " no"))
        .collect(Collectors.joining("; "));
  }

  private Answer onProduct(ParsedPage page, Wish wish, Looks looks, List<Turn> history, int left) {
    Look here = looks.here();
    int finish = wish.options().size() + 1;
    String before = lastPossible(history);
    boolean opened = Shoppers.OPENED.matcher(before).matches();
    boolean settled = here.opened > 1 || !opened && !before.equals("click[" + BACK + "]");
    String thought = opened && here.opened == 1 ? Looks.optionCheck(here, wish, lexicon) : "";
    boolean fits = here.fits(wish, lexicon);
    boolean further = !settled && left > 1 + ANOTHER_LOOK + finish;
    if (fits
        && !settled
        && readsFeatures
        && !here.featuresRead()
        && !here.missing(wish).isEmpty()) {
      if (left >= 2 + finish) {
        return click(thought, "features");
      }
    } else if (further && (!fits || here.featuresRead() && !here.missing(wish).isEmpty())) {
      return click(thought, BACK);
    }
    Look best = looks.best(wish, lexicon).orElseThrow();
    if (best != here && !settled && left >= 2 + finish) {
      return click(thought, BACK);
    }
    return new Answer(thought, Shoppers.chooseOrBuy(history, wanted(page, wish)).action());
  }

  private static String lastPossible(List<Turn> history) {
    int last = history.size() - 1;
    while (!history.get(last).outcome().valid()) {
      last--;
    }
    return history.get(last).answer().action();
  }

  private static List<String> wanted(ParsedPage page, Wish wish) {
    return wish.options().stream().filter(page.choices()::contains).toList();
  }
}
