package org.vstar.common;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a record's component that a config or a JSON file may leave out, and what it then is. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.FIELD, ElementType.METHOD})
public @interface Default {

  /**
   * What a config would say: a number, a word, a list, or {@code {}} for a section all of whose
   * keys may be left out.
   */
  String value();
}
