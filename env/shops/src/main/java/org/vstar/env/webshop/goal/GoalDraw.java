package org.vstar.env.webshop.goal;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.vstar.env.python.PythonRandom;

/**
 * Draws goals by their weights, as WebShop does for a session that names none.
 *
 * <p>The original is off by one: it never draws the first goal, draws every other with the weight
 * of the one before, and the last with its own besides. That is kept only for {@code compat:
 * original}.
 */
public final class GoalDraw {

  private final List<Goal> goals;
  private final boolean original;

  /** Sums of the weights of all goals before each, and of all. */
  private final double[] sums;

  public GoalDraw(List<Goal> goals, boolean original) {
    this.goals = goals;
    this.original = original;
    this.sums = new double[goals.size() + 1];
    for (int i = 0; i < goals.size(); i++) {
      sums[i + 1] = sums[i] + goals.get(i).weight();
    }
  }

  /**
   * Different goals, in the order in which they are drawn.
   *
   * @param count at most as many as can be drawn
   */
  public List<Goal> distinct(int count, PythonRandom random) {
    Set<Integer> drawn = new LinkedHashSet<>();
    while (drawn.size() < count) {
      drawn.add(next(random));
    }
    return drawn.stream().map(goals::get).toList();
  }

  /** The index of the next goal. */
  public int next(PythonRandom random) {
    double at = random.uniform(0, sums[goals.size()]);
    int found = Arrays.binarySearch(sums, at);
    // Python's bisect_right: the first sum that is greater.
    int greater = found < 0 ? -found - 1 : found + 1;
    int index = original ? greater : greater - 1;
    return Math.min(index, goals.size() - 1);
  }
}
