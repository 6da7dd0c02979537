package org.vstar.env.webshop.goal;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.vstar.common.CanonicalJson;
import org.vstar.common.ContentHash;
import org.vstar.env.Split;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.shopping.SplitAudit;

/**
 * Which goals are trained on, which are looked at while choosing, and which are kept for the end.
 *
 * @param train in an order that depends on content or on the named seed alone
 * @param validation the same
 * @param test the same
 */
public record GoalSplit(List<Goal> train, List<Goal> validation, List<Goal> test)
    implements Serializable {

  private static final int PUBLISHED_TEST = 500;
  private static final int RAGEN_TRAIN_FROM = 1500;
  private static final long RAGEN_SEED = 42;

  /** The splits there are. */
  public enum Kind {
    /** Ours: no product is in two splits, and none dominates a held-out one. */
    @JsonProperty("product")
    PRODUCT,
    /** verl-agent's positions: test 0–499, all others are its train goals. They share products. */
    @JsonProperty("verl-agent")
    VERL_AGENT,
    /** RAGEN's positions behind its own permutation: test 0–499, train from 1500 on. */
    @JsonProperty("ragen")
    RAGEN;

    /** As configs and reports write it. */
    public String words() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * How many goals a split of products takes.
   *
   * @param test test goals, at most
   * @param validation validation goals, at most
   * @param perProduct held-out goals of one product, at most
   * @param trainPerProduct train goals of one product, at most
   */
  public record Sizes(int test, int validation, int perProduct, int trainPerProduct) {}

  /**
   * Splits goals. The published splits have no validation goals: verl-agent's first {@code
   * validation} train goals become ours, and of RAGEN those of the positions 500–1499, which it
   * does not use.
   *
   * @param goals in the original's shuffled order, which the index splits go by
   */
  public static GoalSplit of(Kind kind, List<Goal> goals, Sizes sizes) {
    return switch (kind) {
      case PRODUCT -> byProduct(goals, sizes);
      case VERL_AGENT -> byPosition(goals, PUBLISHED_TEST + sizes.validation, sizes.validation);
      case RAGEN -> {
        List<Goal> order = new ArrayList<>(goals);
        new PythonRandom(RAGEN_SEED).shuffle(order);
        yield byPosition(order, RAGEN_TRAIN_FROM, sizes.validation);
      }
    };
  }

  private static GoalSplit byPosition(List<Goal> goals, int trainFrom, int validation) {
    int test = Math.min(PUBLISHED_TEST, goals.size());
    int train = Math.max(test, Math.min(trainFrom, goals.size()));
    int heldOut = Math.min(train, test + validation);
    return new GoalSplit(
        List.copyOf(goals.subList(train, goals.size())),
        List.copyOf(goals.subList(test, heldOut)),
        List.copyOf(goals.subList(0, test)));
  }

  /**
   * Products in the order of their asins' hashes: whole products go to test until it is full, then
   * to validation until that is. However few there are, at most a third of the products is tested
   * on, and at least a half is trained on.
   */
  private static GoalSplit byProduct(List<Goal> goals, Sizes sizes) {
    Map<String, List<Goal>> byAsin =
        goals.stream().collect(Collectors.groupingBy(g -> g.item().asin()));
    List<String> asins =
        ContentHash.order(byAsin.keySet(), asin -> new ContentHash().add("split").add(asin));
    List<Goal> train = new ArrayList<>();
    List<Goal> validation = new ArrayList<>();
    List<Goal> test = new ArrayList<>();
    for (int i = 0; i < asins.size(); i++) {
      List<Goal> own = ContentHash.order(byAsin.get(asins.get(i)), GoalSplit::hash);
      if (i < asins.size() / 3 && test.size() < sizes.test) {
        take(own, Math.min(sizes.perProduct, sizes.test - test.size()), test);
      } else if (i < asins.size() / 2 && validation.size() < sizes.validation) {
        take(own, Math.min(sizes.perProduct, sizes.validation - validation.size()), validation);
      } else {
        take(own, sizes.trainPerProduct, train);
      }
    }
    return new GoalSplit(List.copyOf(train), List.copyOf(validation), List.copyOf(test));
  }

  /** The same split with more train goals. */
  public GoalSplit withTrain(List<Goal> more, int perProduct) {
    List<Goal> all = new ArrayList<>(train);
    Map<String, List<Goal>> byAsin =
        more.stream()
            .collect(
                Collectors.groupingBy(
                    g -> g.item().asin(), LinkedHashMap::new, Collectors.toList()));
    byAsin.values().forEach(own -> take(ContentHash.order(own, GoalSplit::hash), perProduct, all));
    return new GoalSplit(List.copyOf(all), validation, test);
  }

  private static void take(List<Goal> goals, int max, List<Goal> into) {
    into.addAll(goals.subList(0, Math.min(max, goals.size())));
  }

  private static ContentHash hash(Goal goal) {
    return new ContentHash()
        .add(
            CanonicalJson.of("webshop goal", 1)
                .with("asin", goal.item().asin())
                .with("options", goal.options())
                .with("humanOptions", goal.humanOptions())
                .with("instruction", goal.instruction())
                .text());
  }

  /** The goals of one split. */
  public List<Goal> goals(Split split) {
    return switch (split) {
      case TRAIN -> train;
      case VALIDATION -> validation;
      case TEST -> test;
    };
  }

  /** Counts what a held-out split shares with the train goals. */
  public SplitAudit audit(Split heldOut) {
    return SplitAudit.of(wanted(train), wanted(goals(heldOut)));
  }

  /** Counts the words that a held-out split shares with the train goals. */
  public WordingAudit wording(Split heldOut) {
    return WordingAudit.of(train, goals(heldOut));
  }

  private static List<SplitAudit.Wanted> wanted(Collection<Goal> goals) {
    return goals.stream()
        .map(
            g ->
                new SplitAudit.Wanted(
                    g.item().asin(), g.options() + "" + g.humanOptions(), g.instruction()))
        .toList();
  }
}
