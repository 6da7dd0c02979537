package org.vstar.env;

/**
 * Makes an environment usable from configs. Found by {@link java.util.ServiceLoader}, so an
 * environment can come in a jar of its own.
 */
public interface EnvironmentKind {

  /** What configs call it. */
  String kind();

  /** The record that its section of a config is read into. */
  Class<? extends EnvironmentConfig> config();
}
