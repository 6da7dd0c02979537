package org.vstar.common;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names a key that a config section once had, so that an old config gets told where it went instead
 * of "unknown key".
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Repeatable(FormerKey.Several.class)
public @interface FormerKey {

  /** The old key. */
  String value();

  /** What stands for it now. */
  String now();

  /** More than one of them. */
  @Documented
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.TYPE)
  @interface Several {
    /** The old keys. */
    FormerKey[] value();
  }
}
