package org.vstar.model.gguf;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.vstar.common.InvalidInputException;

/**
 * What a file says of its model, by key. Values are {@link Long}, {@link Double}, {@link Boolean},
 * {@link String}, or a list of them.
 *
 * @param file for messages
 */
record GgufMetadata(String file, Map<String, Object> values) {

  private static final long NO_TOKEN = 0xffffffffL;

  /** A key's string. */
  Optional<String> text(String key) {
    return get(key, String.class, "a string");
  }

  /** A key's whole number. */
  Optional<Integer> integer(String key) {
    return get(key, Long.class, "a whole number")
        .map(
            value -> {
              if (value != value.intValue()) {
                throw wrong(key, value, "a whole number below 2³¹");
              }
              return value.intValue();
            });
  }

  /**
   * A key's token id. Files say that there is none by −1, which may stand in an unsigned number.
   *
   * @param tokens how many there are
   */
  Optional<Integer> token(String key, int tokens) {
    return get(key, Long.class, "a whole number")
        .filter(id -> id != -1 && id != NO_TOKEN)
        .map(
            id -> {
              if (id < 0 || id >= tokens) {
                throw wrong(key, id, "an id below " + tokens + ", as there are so many tokens");
              }
              return id.intValue();
            });
  }

  /** A key's number. */
  Optional<Double> number(String key) {
    return get(key, Number.class, "a number").map(Number::doubleValue);
  }

  /** A key's boolean. */
  Optional<Boolean> flag(String key) {
    return get(key, Boolean.class, "true or false");
  }

  /** A key's list of strings. */
  Optional<List<String>> texts(String key) {
    return list(key, String.class, "a list of strings");
  }

  /** A key's list of numbers. */
  Optional<List<Number>> numbers(String key) {
    return list(key, Number.class, "a list of numbers");
  }

  private <T> Optional<List<T>> list(String key, Class<T> type, String expected) {
    return get(key, List.class, expected)
        .map(
            found -> {
              for (Object value : found) {
                if (!type.isInstance(value)) {
                  throw wrong(key, value, expected);
                }
              }
              @SuppressWarnings("unchecked") // Every element was looked at.
              List<T> checked = (List<T>) found;
              return checked;
            });
  }

  /** Whether all values of a number or a list of numbers, one for each layer, are the same. */
  Optional<Integer> same(String key) {
    if (!(values.get(key) instanceof List<?> list) || list.isEmpty()) {
      return integer(key);
    }
    if (list.stream().distinct().count() > 1) {
      throw wrong(key, list, "the same in every layer");
    }
    return new GgufMetadata(file, Map.of(key, list.get(0))).integer(key);
  }

  private <T> Optional<T> get(String key, Class<T> type, String expected) {
    Object value = values.get(key);
    if (value != null && !type.isInstance(value)) {
      throw wrong(key, value, expected);
    }
    return Optional.ofNullable(type.cast(value));
  }

  /** A value that has to be there. */
  <T> T require(String key, Optional<T> value) {
    return value.orElseThrow(
        () -> new InvalidInputException(file + " does not say '" + key + "' in its metadata"));
  }

  /** A value that is not supported. */
  InvalidInputException wrong(String key, Object value, String expected) {
    String shown = String.valueOf(value);
    return new InvalidInputException(
        String.format(
            Locale.ROOT,
            "%s: '%s' is %s, expected %s",
            file,
            key,
            shown.length() > 80 ? shown.substring(0, 80) + "…" : shown,
            expected));
  }
}
