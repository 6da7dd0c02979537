package org.vstar.common;

import java.io.Serializable;
import java.util.function.Supplier;

/**
 * A thing that each process makes on first use, once for all threads. It does not travel by
 * serialization: where it arrives it is made again.
 */
public final class Lazy<T> implements Serializable {

  private static final long serialVersionUID = 1L;

  private transient volatile T value;

  /** The thing; made by {@code maker} if this process has not got it yet. */
  public T get(Supplier<? extends T> maker) {
    T made = value;
    if (made == null) {
      synchronized (this) {
        made = value;
        if (made == null) {
          made = maker.get();
          value = made;
        }
      }
    }
    return made;
  }
}
