package org.vstar.env;

import java.io.Serializable;

/**
 * One observation, the thought and action that answered it, and what that led to.
 *
 * @param slip whether a demonstrator erred on purpose: its answer is not to be imitated, what it
 *     does afterwards is
 */
public record Turn(String observation, Answer answer, Outcome outcome, boolean slip)
    implements Serializable {

  /** A turn that is no slip. */
  public Turn(String observation, Answer answer, Outcome outcome) {
    this(observation, answer, outcome, false);
  }
}
