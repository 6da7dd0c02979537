package org.vstar.env;

import java.io.Serializable;
import java.util.List;

/**
 * A world of tasks. Implementations are immutable, may be shared by all threads of a process, and
 * travel to Spark executors by Java serialization.
 */
public interface Environment extends Serializable {

  /** The name that tables and reports carry, for example {@code webshop-lite}. */
  String name();

  /** Content hash of the rules and the data: equal hashes mean equal transitions. */
  String fingerprint();

  /** Content hash of the reward settings. */
  String rewardFingerprint();

  /** The tasks of one split, in an order that depends on content alone. */
  List<Task> tasks(Split split);

  /**
   * Opens an episode.
   *
   * @throws InputError if the task is not one of this environment's
   */
  Episode start(Task task);

  /** What to say of a task that is not one of this environment's. */
  default InputError foreign(Task task) {
    return new InputError(
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

  /** How an agent marks its thought and its action. */
  default AnswerFormat answers() {
    return AnswerFormat.ANSWER;
  }

  /** The actions that an agent can name, whatever the page. */
  ActionGrammar actions();

  /** Turns after which whoever runs an episode stops it. */
  int maxTurns();

  /**
   * What a report has to say of the split, a sentence each: whether tasks of the two halves share
   * what is to be found.
   */
  List<String> audit();

  /** Lines of text in which every word that an observation or an action can hold occurs. */
  List<String> text();
}
