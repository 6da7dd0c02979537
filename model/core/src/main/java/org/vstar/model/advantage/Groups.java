package org.vstar.model.advantage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The trajectories of a step by what they have in common, a task most often. Those of one group
 * need not stand side by side.
 */
final class Groups {

  private final int[] groupOf;
  private final List<int[]> members = new ArrayList<>();

  /**
   * Groups places by key.
   *
   * @param keys of each place
   */
  Groups(List<?> keys) {
    Map<Object, List<Integer>> byKey = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      byKey.computeIfAbsent(keys.get(i), key -> new ArrayList<>()).add(i);
    }
    groupOf = new int[keys.size()];
    for (List<Integer> places : byKey.values()) {
      places.forEach(place -> groupOf[place] = members.size());
      members.add(places.stream().mapToInt(Integer::intValue).toArray());
    }
  }

  /** How many are in the group of a place. */
  int size(int place) {
    return members.get(groupOf[place]).length;
  }

  /** The places of each group, in order. */
  List<int[]> members() {
    return members;
  }

  /** Mean and spread of the values of each place's group; NaN values are left out if asked for. */
  Moments[] moments(double[] values, boolean withoutNaN) {
    Moments[] ofGroup = new Moments[members.size()];
    for (int g = 0; g < ofGroup.length; g++) {
      double[] own = new double[members.get(g).length];
      int count = 0;
      for (int place : members.get(g)) {
        if (!withoutNaN || !Double.isNaN(values[place])) {
          own[count++] = values[place];
        }
      }
      ofGroup[g] = Moments.of(Arrays.copyOf(own, count));
    }
    Moments[] ofPlace = new Moments[groupOf.length];
    for (int i = 0; i < ofPlace.length; i++) {
      ofPlace[i] = ofGroup[groupOf[i]];
    }
    return ofPlace;
  }
}
