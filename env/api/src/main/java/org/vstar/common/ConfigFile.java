package org.vstar.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reads YAML into typed records, and refuses what it does not know. A file can build on another:
 * {@code include: other.yaml}, beside it.
 */
public final class ConfigFile {

  /** The key that says which of several records a section is for. */
  public static final String KIND = YamlSource.KIND;

  private final ObjectMapper mapper = Json.strict(JsonMapper.builder()).build();

  /**
   * Makes records known that a section with a {@link #KIND} can be.
   *
   * @param kinds the records, by what configs call them
   */
  public ConfigFile with(Map<String, ? extends Class<?>> kinds) {
    kinds.forEach((kind, type) -> mapper.registerSubtypes(new NamedType(type, kind)));
    return this;
  }

  /**
   * Reads a file, with some keys overridden.
   *
   * @param overrides dotted key to value, for example {@code vstar.beta1 → 0.3}
   * @throws InvalidInputException naming the file, the line and the key, with the nearest known key
   *     for an unknown one
   */
  public <T> T read(Path file, Map<String, String> overrides, Class<T> type) {
    YamlSource source = YamlSource.read(file);
    overrides.forEach(source::set);
    try {
      return mapper.treeToValue(source.tree(), type);
    } catch (UnrecognizedPropertyException e) {
      String key = e.getPropertyName();
      List<Reference> section = e.getPath().subList(0, e.getPath().size() - 1);
      List<String> known = e.getKnownPropertyIds().stream().map(Object::toString).toList();
      throw unknown(source, key, section, known, e.getReferringClass(), e);
    } catch (ValueInstantiationException e) {
      throw new InvalidInputException(
          source.location(dotted(e.getPath())) + ": " + Json.reason(e), e);
    } catch (MismatchedInputException e) {
      refuseMisspelled(source, e);
      throw mismatch(source, e);
    } catch (JsonMappingException e) {
      throw mismatch(source, e);
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(file + ": " + e.getOriginalMessage(), e);
    }
  }

  /**
   * What a file says, with all that it includes and some keys overridden, before it is read into
   * records.
   *
   * @throws InvalidInputException naming the file and the line of what is not YAML
   */
  public JsonNode tree(Path file, Map<String, String> overrides) {
    YamlSource source = YamlSource.read(file);
    overrides.forEach(source::set);
    return source.tree();
  }

  private static InvalidInputException mismatch(YamlSource source, JsonMappingException e) {
    String key = dotted(e.getPath());
    boolean text =
        e instanceof MismatchedInputException m
            && m.getTargetType() == String.class
            && e.getOriginalMessage().startsWith("Cannot coerce");
    String reason =
        text
            ? "expected text, found a number or a truth value: put it in quotes"
            : e.getOriginalMessage();
    return new InvalidInputException(source.location(key) + ": key '" + key + "': " + reason, e);
  }

  /**
   * A required key is missing. Most often it is there under another name, and that is what the user
   * must hear of; Jackson looks for unknown keys only later.
   */
  private void refuseMisspelled(YamlSource source, MismatchedInputException e) {
    int depth = e.getPath().size() - 1;
    if (depth < 0
        || !(e.getPath().get(depth).getFrom() instanceof Class<?> record)
        // Their keys are known already.
        || GroupedRecords.hasGroups(record)
        || record.isAnnotationPresent(Group.class)) {
      return;
    }
    List<Reference> section = GroupedRecords.path(e.getPath().subList(0, depth));
    JsonNode present = source.tree();
    for (Reference reference : section) {
      present = present.path(reference.getFieldName());
    }
    Set<String> known = new TreeSet<>();
    JavaType type = mapper.constructType(record);
    mapper
        .getDeserializationConfig()
        .introspect(type)
        .findProperties()
        .forEach(property -> known.add(property.getName()));
    for (String key : (Iterable<String>) present::fieldNames) {
      if (!known.isEmpty() && !known.contains(key) && !key.equals(KIND)) {
        throw unknown(source, key, section, known, record, e);
      }
    }
  }

  private static InvalidInputException unknown(
      YamlSource source,
      String key,
      List<Reference> section,
      Collection<String> known,
      Class<?> record,
      Exception cause) {
    String in = dotted(section);
    String location = source.location(in.isEmpty() ? key : in + "." + key);
    String at = in.isEmpty() ? "" : " in '" + in + "'";
    String advice = advice(key, known, record);
    return new InvalidInputException(location + ": unknown key '" + key + "'" + at + advice, cause);
  }

  private static String advice(String key, Collection<String> known, Class<?> record) {
    for (FormerKey former : record.getAnnotationsByType(FormerKey.class)) {
      if (former.value().equals(key)) {
        return ": it was renamed to '" + former.now() + "'";
      }
    }
    Optional<String> nearest = known.stream().min(Comparator.comparingInt(k -> distance(k, key)));
    return nearest.map(k -> ", did you mean '" + k + "'?").orElse("");
  }

  private static String dotted(List<Reference> path) {
    return GroupedRecords.path(path).stream()
        .map(r -> r.getFieldName() != null ? r.getFieldName() : "[" + r.getIndex() + "]")
        .collect(Collectors.joining("."));
  }

  /** Levenshtein distance, case folded. */
  static int distance(String a, String b) {
    String x = a.toLowerCase(Locale.ROOT);
    String y = b.toLowerCase(Locale.ROOT);
    int[] row = new int[y.length() + 1];
    for (int j = 0; j <= y.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= x.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= y.length(); j++) {
        int substitute = diagonal + (x.charAt(i - 1) == y.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substitute, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[y.length()];
  }
}
