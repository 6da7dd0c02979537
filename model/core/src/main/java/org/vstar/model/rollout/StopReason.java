package org.vstar.model.rollout;

/** Why an episode ended. */
public enum StopReason {
  /** The environment ended it. */
  DONE,
  /** The turns ran out. */
  OUT_OF_TURNS,
  /** Another turn might not fit into the policy's context. */
  CONTEXT_FULL
}
