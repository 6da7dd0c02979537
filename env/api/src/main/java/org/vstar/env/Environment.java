package org.vstar.env;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

/**
 * A world of tasks. Implementations are immutable, may be shared by all threads of a process, and
 * travel to Spark executors by Java serialization.
 */
@Experimental
public interface Environment extends Serializable {

  /** The name that tables and reports carry, for example {@code webshop-lite}. */
  String name();

  /** Content hash of the rules and the data: equal hashes mean equal transitions. */
  String fingerprint();

  /** Content hash of the reward settings; the environment's own where they are not apart. */
  default String rewardFingerprint() {
    return fingerprint();
  }

  /**
   * The tasks of one split, at least one, in an order that depends on content alone. A task fixes
   * its prompt: where train tasks are varied so that a policy does not learn them by heart, each
   * variation is a task with an id and a prompt of its own.
   */
  List<Task> tasks(Split split);

  /**
   * The tasks that those of a split are variations of; the tasks themselves where nothing varies.
   * Episodes can be started on these too.
   */
  default List<Task> originals(Split split) {
    return tasks(split);
  }

  /**
   * Opens an episode whose first observation is the task's prompt.
   *
   * @throws InvalidInputException if the task is not one of this environment's
   */
  Episode start(Task task);

  /**
   * Opens an episode in a world with chance of its own, such as a slip on the ice. The default
   * ignores the seed: a world without chance.
   *
   * @param worldSeed what the world draws from, and nothing else does: the same seed and actions
   *     give the same episode. It never changes the prompt, so V* stays the value of one prompt
   * @throws InvalidInputException if the task is not one of this environment's
   */
  default Episode start(Task task, long worldSeed) {
    return start(task);
  }

  /**
   * Whether equal actions on a task always lead to the same, whatever the world's seed. Then
   * rollouts may be told what an earlier one with the same actions saw, and no episode is started
   * for it.
   */
  default boolean deterministic() {
    return false;
  }

  /** The error for a task of another environment. */
  default InvalidInputException unknownTask(Task task) {
    return new InvalidInputException(
        "task "
            + task.id()
            + " of environment '"
            + task.environment()
            + "' is not a task of this '"
            + name()
            + "' (fingerprint "
            + fingerprint()
            + ")");
  }

  /**
   * What a system's message can say of the rules, for policies whose config has none of its own;
   * empty where the prompts say all.
   */
  default Optional<String> systemMessage() {
    return Optional.empty();
  }

  /** How an agent marks its thought and its action. */
  default AnswerFormat answerFormat() {
    return AnswerFormat.ANSWER;
  }

  /**
   * The actions that an agent can name, whatever the page; without any, {@code sampling.constrain}
   * is refused.
   */
  default ActionGrammar actionGrammar() {
    return new ActionGrammar(List.of());
  }

  /** Turns after which whoever runs an episode stops it. */
  int maxTurns();

  /**
   * Sentences for reports on how clean a held-out split is: how much of what its tasks want is also
   * trained on.
   */
  default List<String> audit(Split heldOut) {
    return List.of();
  }

  /**
   * Lines of text in which every word that an observation or an action can hold occurs; the
   * prompts, where they have them all.
   */
  default List<String> vocabularyText() {
    return Arrays.stream(Split.values()).flatMap(s -> tasks(s).stream()).map(Task::prompt).toList();
  }
}
