package org.vstar.env.webshop.goal;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.vstar.env.Split;

/**
 * How much of the wording of held-out goals is also trained on, though their products may not be.
 *
 * @param goals held-out goals
 * @param sameInstruction those whose instruction, options and price aside, is a train goal's word
 *     for word
 * @param sameType those whose type of product is a train goal's
 * @param sameTitle those whose product's title is a train product's
 */
public record WordingAudit(int goals, int sameInstruction, int sameType, int sameTitle) {

  /** Counts. */
  static WordingAudit of(Collection<Goal> train, Collection<Goal> heldOut) {
    return new WordingAudit(
        heldOut.size(),
        shared(train, heldOut, WordingAudit::base),
        shared(train, heldOut, goal -> goal.item().query()),
        shared(train, heldOut, goal -> goal.item().title()));
  }

  private static String base(Goal goal) {
    String own = goal.item().instruction();
    return own != null && goal.instruction().startsWith(own)
        ? own
        : Instruction.withoutPrice(goal.instruction());
  }

  private static int shared(
      Collection<Goal> train, Collection<Goal> heldOut, Function<Goal, String> what) {
    Set<String> trained = train.stream().map(what).collect(Collectors.toSet());
    return (int) heldOut.stream().map(what).filter(trained::contains).count();
  }

  /** As reports say it. */
  public String line(Split heldOut) {
    return String.format(
        Locale.ROOT,
        "Of the %d %s goals, %d have an instruction that, options and price aside, is a train goal's"
            + " word for word, %d a type of product that is trained on, %d a title that is.",
        goals,
        heldOut.word(),
        sameInstruction,
        sameType,
        sameTitle);
  }
}
