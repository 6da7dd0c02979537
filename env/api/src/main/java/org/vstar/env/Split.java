package org.vstar.env;

/**
 * Which part of the tasks a task belongs to. No target is in two of them. Policies learn on TRAIN;
 * learning curves and every choice use VALIDATION; TEST is played once, at the end.
 */
public enum Split {
  /** Learned on. */
  TRAIN,
  /** Looked at while choosing. */
  VALIDATION,
  /** Played once. */
  TEST;

  /** As tables, configs and reports write it. */
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
