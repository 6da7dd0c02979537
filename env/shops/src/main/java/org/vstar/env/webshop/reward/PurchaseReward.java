package org.vstar.env.webshop.reward;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.vstar.env.python.PythonText;
import org.vstar.env.python.TokenSetRatio;
import org.vstar.env.webshop.catalog.Item;
import org.vstar.env.webshop.goal.Goal;

/** What a purchase is worth to a shopper, 0 to 1, with its parts. */
public final class PurchaseReward {

  private static final int ALIKE = 85;
  private static final double NO_NOUNS = 0.2;
  private static final double SAME_TYPE = 0.2;
  private static final double OTHER_TYPE = 0.1;

  /** In the order in which WebShop looks for them. */
  private static final List<String> COLOURS =
      List.of(
          ("alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze"
                  + " brown burgundy camel camo caramel champagne charcoal cheetah chestnut"
                  + " chocolate christmas coffee cognac copper coral cranberry cream crystal dark"
                  + " denim eggplant elephant espresso fuchsia gold granite grape graphite grass"
                  + " gray green grey heather indigo ivory ivy khaki lavender lemon leopard light"
                  + " lilac lime magenta maroon mauve merlot midnight mint mocha multicolor"
                  + " mushroom mustard natural navy nude olive orange peach pewter pink plum"
                  + " purple rainbow red rose royal rust sand sapphire seashell silver skull slate"
                  + " steel stone stonewash sunflower tan taupe teal tiger turquoise violet walnut"
                  + " wheat white wine yellow")
              .split(" "));

  private final NounTagger tagger;

  /** By title. Tagging takes longer than the rest of a purchase, and titles come again. */
  private final Map<String, List<String>> nouns = new ConcurrentHashMap<>();

  public PurchaseReward(NounTagger tagger) {
    this.tagger = tagger;
  }

  /**
   * A reward with its parts.
   *
   * @param type factor for buying the right kind of thing, 0, 0.1, 0.5 or 1
   * @param attributes share of the wanted attributes
   * @param options share of the wanted options; NaN if none were wanted
   * @param price whether it was cheap enough
   * @param attributeWeight share of the total that attributes are; options' is optionWeight (NaN if
   *     none), the price's priceWeight
   */
  public record Parts(
      double total,
      double type,
      double attributes,
      double options,
      boolean price,
      double attributeWeight,
      double optionWeight,
      double priceWeight,
      boolean queryMatch,
      boolean categoryMatch,
      double titleScore)
      implements Serializable {

    /** Whether everything was right. */
    public boolean success() {
      return total == 1;
    }
  }

  /**
   * Rates a purchase.
   *
   * @param chosen values of the options that were clicked
   */
  public Parts of(Item bought, double price, Collection<String> chosen, Goal goal) {
    boolean query = bought.query().equals(goal.item().query());
    Set<String> categories = categories(bought);
    categories.retainAll(categories(goal.item()));
    boolean category = categories.size() >= 2;
    double title = titleScore(bought, goal.item());
    double type = query || category || title > SAME_TYPE ? 1 : 0.5;
    type = title == 0 ? 0 : title < OTHER_TYPE ? OTHER_TYPE : type;
    int attributes = (int) goal.attributes().stream().filter(a -> has(bought, a)).count();
    int options = options(chosen, goal);
    boolean cheap = price <= goal.priceUpper();
    int wantedAttributes = goal.attributes().size();
    int wantedOptions = goal.optionCount();
    double wanted = wantedAttributes + wantedOptions + 1;
    double none = Double.NaN;
    return new Parts(
        (attributes + options + (cheap ? 1 : 0)) / wanted * type,
        type,
        attributes / (double) wantedAttributes,
        wantedOptions == 0 ? none : options / (double) wantedOptions,
        cheap,
        wantedAttributes / wanted,
        wantedOptions == 0 ? none : wantedOptions / wanted,
        1 / wanted,
        query,
        category,
        title);
  }

  private static Set<String> categories(Item item) {
    return Arrays.stream(item.productCategory().split("›", -1))
        .map(PythonText::strip)
        .collect(Collectors.toCollection(HashSet::new));
  }

  private double titleScore(Item bought, Item wanted) {
    List<String> goal = nouns(wanted);
    if (goal.isEmpty()) {
      return NO_NOUNS;
    }
    Set<String> common = new HashSet<>(nouns(bought));
    common.retainAll(new HashSet<>(goal));
    return common.size() / (double) goal.size();
  }

  private List<String> nouns(Item item) {
    return nouns.computeIfAbsent(item.title(), tagger::nouns);
  }

  private static boolean has(Item bought, String attribute) {
    return bought.attributes().stream().anyMatch(a -> TokenSetRatio.of(a, attribute) > ALIKE)
        || PythonText.lower(bought.title()).contains(attribute)
        || PythonText.lower(String.join(" ", bought.bullets())).contains(attribute)
        || PythonText.lower(bought.description()).contains(attribute);
  }

  private static int options(Collection<String> chosen, Goal goal) {
    List<String> bought = chosen.stream().map(PurchaseReward::colourIn).toList();
    List<String> wanted = new ArrayList<>();
    goal.options().entrySet().forEach(pair -> wanted.add(colourOfPair(pair)));
    goal.humanOptions().forEach(option -> wanted.add(colourIn(option)));
    return (int)
        wanted.stream()
            .filter(w -> bought.stream().anyMatch(b -> TokenSetRatio.of(b, w) > ALIKE))
            .count();
  }

  /** The first colour that is part of an option, else the option. */
  private static String colourIn(String option) {
    return COLOURS.stream().filter(option::contains).findFirst().orElse(option);
  }

  /**
   * A pair is a colour only if its name or value is one; else it is compared as Python writes it.
   */
  private static String colourOfPair(Map.Entry<String, String> pair) {
    return COLOURS.stream()
        .filter(c -> c.equals(pair.getKey()) || c.equals(pair.getValue()))
        .findFirst()
        .orElseGet(
            () ->
                "("
                    + PythonText.repr(pair.getKey())
                    + ", "
                    + PythonText.repr(pair.getValue())
                    + ")");
  }
}
