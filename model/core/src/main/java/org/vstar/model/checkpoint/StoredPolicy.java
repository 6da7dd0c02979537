package org.vstar.model.checkpoint;

import java.io.Serializable;
import org.vstar.common.Lazy;
import org.vstar.common.RunStore;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;

/**
 * A policy by where its files are. It travels as a few names; each process that it arrives in maps
 * the files and opens the policy on first use, once for all its threads.
 */
public final class StoredPolicy implements Serializable {

  private static final long serialVersionUID = 1L;

  private final RunStore store;
  private final String name;
  private final String reference;
  private final String engine;
  private final EngineOptions options;
  private final Lazy<Policy> opened = new Lazy<>();

  private StoredPolicy(
      RunStore store, String name, String reference, String engine, EngineOptions options) {
    this.store = store;
    this.name = name;
    this.reference = reference;
    this.engine = engine;
    this.options = options;
  }

  /**
   * A policy with weights of its own.
   *
   * @param name what {@link PolicyFiles#write} called it
   * @param engine the kind of what runs it
   */
  public static StoredPolicy of(RunStore store, String name, String engine, EngineOptions options) {
    return new StoredPolicy(store, name, null, engine, options);
  }

  /**
   * A policy that was trained from a reference.
   *
   * @param reference the name of that
   */
  public static StoredPolicy trained(
      RunStore store, String name, String reference, String engine, EngineOptions options) {
    return new StoredPolicy(store, name, reference, engine, options);
  }

  /** The last part of where it lies. */
  public String name() {
    return name;
  }

  /**
   * The policy, opened if it is not yet.
   *
   * @throws org.vstar.common.InvalidInputException naming a file that is missing or was changed
   */
  public Policy open() {
    return opened.get(
        () ->
            reference == null
                ? PolicyFiles.read(store, name, engine, options)
                : PolicyFiles.readTrained(
                    store, name, PolicyFiles.read(store, reference, engine, options), options));
  }
}
