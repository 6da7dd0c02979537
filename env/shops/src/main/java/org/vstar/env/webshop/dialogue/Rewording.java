package org.vstar.env.webshop.dialogue;

import java.util.List;
import org.vstar.env.Answer;
import org.vstar.env.Turn;

/**
 * How the text of one episode differs from the shop's own, for an agent that cannot know it by
 * heart.
 */
public interface Rewording {

  /** The shop's own words. */
  Rewording NONE =
      new Rewording() {
        @Override
        public String substituted(String text) {
          return text;
        }

        @Override
        public String restored(String text) {
          return text;
        }
      };

  /** The shop's text as the agent reads it. */
  String substituted(String text);

  /** What an agent that reads the other words means by its own. */
  String restored(String text);

  /** This one, and then another. */
  default Rewording then(Rewording next) {
    Rewording first = this;
    return new Rewording() {
      @Override
      public String substituted(String text) {
        return next.substituted(first.substituted(text));
      }

      @Override
      public String restored(String text) {
        return first.restored(next.restored(text));
      }
    };
  }

  /** An episode in other words. */
  default List<Turn> substituted(List<Turn> turns) {
    return turns.stream()
        .map(
            turn ->
                new Turn(
                    substituted(turn.observation()),
                    new Answer(
                        substituted(turn.answer().thought()), substituted(turn.answer().action())),
                    turn.outcome(),
                    turn.slip()))
        .toList();
  }
}
