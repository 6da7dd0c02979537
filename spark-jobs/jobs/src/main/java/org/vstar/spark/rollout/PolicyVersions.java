package org.vstar.spark.rollout;

import java.io.Serializable;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.vstar.common.Lazy;
import org.vstar.common.RunStore;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.policy.Policy;

/**
 * A policy that is being trained, as an executor has it: each version lies in files of its own, and
 * is opened once for all threads. Those that came before the newest are closed when nobody uses
 * them any longer.
 */
final class PolicyVersions implements Serializable {

  private static final long serialVersionUID = 1L;

  private final RunStore store;
  private final String folder;
  private final StoredPolicy base;
  private final String engine;
  private final EngineOptions options;
  private final Lazy<SortedMap<Integer, Open>> opened = new Lazy<>();

  /** A version that this process has. */
  private static final class Open {
    private final Policy policy;
    private int users;

    private Open(Policy policy) {
      this.policy = policy;
    }
  }

  /**
   * Versions that lie in a folder.
   *
   * @param base what they are adapters of, or null
   */
  PolicyVersions(
      RunStore store, String folder, StoredPolicy base, String engine, EngineOptions options) {
    this.store = store;
    this.folder = folder;
    this.base = base;
    this.engine = engine;
    this.options = options;
  }

  /** The name of a version's files. */
  String name(int version) {
    return String.format(Locale.ROOT, "%s/%06d", folder, version);
  }

  /** Uses a version, which stays open meanwhile. */
  <R> R with(int version, Function<Policy, R> use) {
    SortedMap<Integer, Open> versions = opened.get(TreeMap::new);
    Open open = enter(versions, version);
    try {
      return use.apply(open.policy);
    } finally {
      leave(versions, open);
    }
  }

  private Open enter(SortedMap<Integer, Open> versions, int version) {
    synchronized (versions) {
      Open open = versions.computeIfAbsent(version, v -> new Open(read(v)));
      open.users++;
      closeOlder(versions);
      return open;
    }
  }

  private void leave(SortedMap<Integer, Open> versions, Open open) {
    synchronized (versions) {
      open.users--;
      closeOlder(versions);
    }
  }

  private void closeOlder(SortedMap<Integer, Open> versions) {
    Iterator<Map.Entry<Integer, Open>> older =
        versions.headMap(versions.lastKey()).entrySet().iterator();
    while (older.hasNext()) {
      Map.Entry<Integer, Open> version = older.next();
      if (version.getValue().users == 0) {
        version.getValue().policy.engine().close();
        store.release(name(version.getKey()));
        older.remove();
      }
    }
  }

  private Policy read(int version) {
    return base == null
        ? PolicyFiles.read(store, name(version), engine, options)
        : PolicyFiles.readTrained(store, name(version), base.open(), options);
  }
}
