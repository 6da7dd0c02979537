package org.vstar.env.webshop.agent;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.vstar.common.Default;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Answer;
import org.vstar.env.webshop.goal.Instruction;
import org.vstar.env.webshop.simulator.Label;

/**
 * The shopper that the reference policy imitates: the scan or the rule shopper, with errors. It
 * searches for the instruction without its price. When it opens a product, its thought names every
 * wanted option and says whether the product has it ({@code red yes large no}). A policy that
 * imitates these checks learns sooner to look for options.
 *
 * @param shopper the one that errs
 * @param rates how often it errs, in each way
 */
public record NoisyShopper(Shopper shopper, ErrorRates rates) implements Shopper {

  /** The words of an option check. */
  public static final String OPTION_CHECK = "yes no";

  private static final int SHORT_QUERY = 4;

  /**
   * Error rates, each a probability.
   *
   * @param scan an episode is played by the scan shopper instead of the rule shopper (no error)
   * @param shortQuery only the first words of the instruction are searched for
   * @param otherProduct a product is opened that is not the one it should be
   * @param buyEarly bought instead of choosing an option
   * @param absentOption an option is tried that the product does not have
   */
  public record ErrorRates(
      @Default("0.0") double scan,
      @Default("0.0") double shortQuery,
      @Default("0.0") double otherProduct,
      @Default("0.0") double buyEarly,
      @Default("0.0") double absentOption)
      implements Serializable {

    public ErrorRates {
      InvalidInputException.requireProbability("scan", scan);
      InvalidInputException.requireProbability("shortQuery", shortQuery);
      InvalidInputException.requireProbability("otherProduct", otherProduct);
      InvalidInputException.requireProbability("buyEarly", buyEarly);
      InvalidInputException.requireProbability("absentOption", absentOption);
    }
  }

  /** One for an episode. */
  public static TranslatedAgent draw(ErrorRates rates, int maxTurns, SplittableRandom random) {
    boolean scans = random.nextDouble() < rates.scan();
    Shopper shopper =
        scans ? Shoppers.scanning(maxTurns) : Shoppers.ruleChoosing(maxTurns, ShopPage::wanted);
    return new TranslatedAgent(new NoisyShopper(shopper, rates));
  }

  @Override
  public Answer answer(List<Visit> history, ShopPage page, SplittableRandom random) {
    String action = shopper.answer(history, page, random).action();
    if (page.isIndex()) {
      return search(page.instruction(), random);
    } else if (!page.isItem()) {
      List<String> products = page.products();
      boolean other = !products.isEmpty() && random.nextDouble() < rates.otherProduct();
      return new Answer(
          "", other ? "click[" + products.get(random.nextInt(products.size())) + "]" : action);
    }
    String thought = opened(history) ? optionCheck(page) : "";
    List<String> absent = new ArrayList<>(Instruction.values(page.instruction()));
    absent.removeAll(page.choices());
    boolean chooses = page.choices().stream().anyMatch(c -> action.equals("click[" + c + "]"));
    if (!absent.isEmpty() && random.nextDouble() < rates.absentOption()) {
      return new Answer(thought, "click[" + absent.get(random.nextInt(absent.size())) + "]");
    } else if (chooses && random.nextDouble() < rates.buyEarly()) {
      return new Answer(thought, "click[" + Label.BUY.clicked() + "]");
    }
    return new Answer(thought, action);
  }

  private Answer search(String instruction, SplittableRandom random) {
    List<String> words = new ArrayList<>(Arrays.asList(Instruction.wanted(instruction).split(" ")));
    if (random.nextDouble() < rates.shortQuery() && words.size() > SHORT_QUERY) {
      words.subList(SHORT_QUERY, words.size()).clear();
    }
    return new Answer("", "search[" + String.join(" ", words) + "]");
  }

  private static boolean opened(List<Visit> history) {
    return history.get(history.size() - 1).opensProduct();
  }

  /** Every wanted option, and whether the product has it. */
  private static String optionCheck(ShopPage page) {
    return Instruction.values(page.instruction()).stream()
        .map(value -> value + (page.choices().contains(value) ? " yes" : " no"))
        .collect(Collectors.joining(" "));
  }
}
