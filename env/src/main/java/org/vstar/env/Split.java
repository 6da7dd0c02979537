package org.vstar.env;

/** Which half of the tasks a task belongs to; no target is in both. */
public enum Split {
  TRAIN,
  TEST
}
