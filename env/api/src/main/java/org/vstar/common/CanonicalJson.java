package org.vstar.common;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a fingerprint is taken of: named values as JSON with one spelling. Keys are sorted, there is
 * no white space, and a number has one form (1, 1.0 and 1e0 are {@code 1}).
 *
 * <p>The names are written out where the fingerprint is made. So renaming a class, a record's
 * component or a config key changes no fingerprint, no seed, and refuses no table. Whoever changes
 * what the values mean raises the version.
 */
public final class CanonicalJson {

  private final Map<String, Object> values = new TreeMap<>();

  private CanonicalJson() {}

  /**
   * Begins a text.
   *
   * @param kind what the values describe, for example {@code sampling}
   * @param version of their meaning, from 1
   */
  public static CanonicalJson of(String kind, int version) {
    return new CanonicalJson().with("kind", kind).with("version", version);
  }

  /**
   * Adds a value.
   *
   * @param value text, a truth value, a finite number, a collection (its order counts), a map from
   *     text (its order does not count), another canonical JSON, or null
   * @throws IllegalArgumentException for another type, a number that is not finite, or a name that
   *     is there already
   */
  public CanonicalJson with(String name, Object value) {
    if (values.containsKey(name)) {
      throw new IllegalArgumentException("there is a value '" + name + "' already");
    }
    text(value);
    values.put(name, value);
    return this;
  }

  /** Each value's text by its name; names of another canonical JSON's values follow its own. */
  public Map<String, String> flat() {
    Map<String, String> flat = new TreeMap<>();
    values.forEach(
        (name, value) -> {
          if (value instanceof CanonicalJson nested) {
            nested.flat().forEach((inner, text) -> flat.put(name + "." + inner, text));
          } else {
            flat.put(name, text(value));
          }
        });
    return flat;
  }

  /** The text. */
  public String text() {
    return text(values);
  }

  /** Content hash of the text: what tables and file names carry. */
  public String fingerprint() {
    return new ContentHash().add(text()).hex();
  }

  private static String text(Object value) {
    if (value == null || value instanceof Boolean) {
      return String.valueOf(value);
    } else if (value instanceof String text) {
      return quoted(text);
    } else if (value instanceof Integer || value instanceof Long) {
      return value.toString();
    } else if (value instanceof Double number) {
      return number(number);
    } else if (value instanceof CanonicalJson json) {
      return json.text();
    } else if (value instanceof Collection<?> list) {
      return list.stream().map(CanonicalJson::text).collect(Collectors.joining(",", "[", "]"));
    } else if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(e -> quoted((String) e.getKey()) + ":" + text(e.getValue()))
          .sorted()
          .collect(Collectors.joining(",", "{", "}"));
    }
    throw new IllegalArgumentException("no canonical JSON for " + value.getClass());
  }

  private static String number(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("no canonical JSON for " + value);
    }
    return Decimals.shortest(value).toPlainString();
  }

  private static String quoted(String text) {
    return TextNode.valueOf(text).toString();
  }
}
