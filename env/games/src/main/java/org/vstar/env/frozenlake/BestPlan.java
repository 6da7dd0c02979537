package org.vstar.env.frozenlake;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vstar.env.ragen.Budget;

/**
 * The plan of a turn that most probably leads to the goal within what is left of the episode: the
 * player sees where it is between turns, not between the actions of one.
 */
final class BestPlan {

  /** Longer plans are not looked at: there are four to their length of them. */
  private static final int LONGEST = 3;

  /** The goal is worth so much less for each turn that it takes. */
  private static final double PATIENCE = 0.999;

  private final LakeMap map;
  private final double[] chances;
  private final Map<List<Integer>, Double> worth = new HashMap<>();

  BestPlan(LakeMap map, double rate) {
    this.map = map;
    this.chances = Walk.chances(rate);
  }

  /** The directions of the best plan. */
  List<Integer> from(int place, Budget left) {
    List<Integer> best = List.of();
    double most = -1;
    for (List<Integer> plan : plans(left.ofTurn())) {
      double value = of(plan, place, left);
      if (value > most) {
        most = value;
        best = plan;
      }
    }
    return best;
  }

  /** All plans up to a length, the short ones first. */
  private static List<List<Integer>> plans(int length) {
    List<List<Integer>> plans = new ArrayList<>();
    plans.add(List.of());
    for (int from = 0; plans.get(from).size() < Math.min(length, LONGEST); from++) {
      for (int direction = 0; direction < LakeMap.WAYS; direction++) {
        List<Integer> longer = new ArrayList<>(plans.get(from));
        longer.add(direction);
        plans.add(longer);
      }
    }
    return plans.subList(1, plans.size());
  }

  /** The probability that a plan, and the best ones after it, lead to the goal. */
  private double of(List<Integer> plan, int place, Budget left) {
    double[] probability = new double[map.size() * map.size()];
    probability[place] = 1;
    for (int direction : plan) {
      probability = after(direction, probability);
    }
    double sum = 0;
    for (int there = 0; there < probability.length; there++) {
      if (probability[there] > 0) {
        sum += probability[there] * worth(there, left.after(plan.size()));
      }
    }
    return PATIENCE * sum;
  }

  private double[] after(int direction, double[] before) {
    double[] after = new double[before.length];
    for (int place = 0; place < before.length; place++) {
      if (before[place] > 0 && map.isEnd(place)) {
        after[place] += before[place];
      } else if (before[place] > 0) {
        for (int i = 0; i < chances.length; i++) {
          int way = Math.floorMod(direction + i - 1, LakeMap.WAYS);
          after[map.next(place, way)] += before[place] * chances[i];
        }
      }
    }
    return after;
  }

  private double worth(int place, Budget left) {
    if (map.isEnd(place) || left.ofTurn() == 0) {
      return place == map.goal() ? 1 : 0;
    }
    List<Integer> state = Arrays.asList(place, left.turns(), left.actions());
    Double known = worth.get(state);
    if (known == null) {
      known = of(from(place, left), place, left);
      worth.put(state, known);
    }
    return known;
  }
}
