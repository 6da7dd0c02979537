package org.vstar.common;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * The one JSON mapper. It reads records strictly: every component must be there unless it is marked
 * {@link OptionalKey}, and what a record does not know is an error.
 */
public final class Json {

  /** Thread-safe, and never reconfigured. */
  public static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .annotationIntrospector(new StrictRecords())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  /** Requires what is not marked {@link OptionalKey}. */
  static final class StrictRecords extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public Boolean hasRequiredMarker(AnnotatedMember member) {
      return member.getDeclaringClass().isRecord()
          ? Boolean.valueOf(!member.hasAnnotation(OptionalKey.class))
          : super.hasRequiredMarker(member);
    }
  }
}
