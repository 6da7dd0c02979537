package org.vstar.model.imitation.dl4j;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.vstar.common.Json;

/** Our records as JSON text, which is what DL4J's configurations can hold. */
final class RecordJson {

  private RecordJson() {}

  static String write(Object ofNumbers) {
    try {
      return Json.MAPPER.writeValueAsString(ofNumbers);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a record of numbers can always be written", e);
    }
  }

  static <T> T read(String json, Class<T> type) {
    try {
      return Json.MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not a " + type.getSimpleName() + ": " + json, e);
    }
  }
}
