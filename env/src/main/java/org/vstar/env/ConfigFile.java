package org.vstar.env;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads YAML into typed records, and refuses what it does not know. */
public final class ConfigFile {

  private final ObjectMapper mapper =
      YAMLMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .build();

  public ConfigFile() {
    for (EnvironmentKind kind : ServiceLoader.load(EnvironmentKind.class)) {
      mapper.registerSubtypes(new NamedType(kind.config(), kind.kind()));
    }
  }

  /**
   * Reads a file, with some keys overridden.
   *
   * @param overrides dotted key to value, for example {@code vstar.beta1 → 0.3}
   * @throws InputError naming the file, the place and the key, with the nearest known key for an
   *     unknown one
   */
  public <T> T read(Path file, Map<String, String> overrides, Class<T> type) {
    if (!Files.isRegularFile(file)) {
      throw new InputError("config file " + file + " does not exist");
    }
    try {
      var tree = mapper.readTree(Files.readString(file));
      for (var entry : overrides.entrySet()) {
        override(file, tree, entry.getKey(), entry.getValue());
      }
      refuseEmpty(file, tree, "");
      // Round the tree through text only when it was changed, so that line numbers stay the file's.
      return overrides.isEmpty()
          ? mapper.readValue(Files.readString(file), type)
          : mapper.treeToValue(tree, type);
    } catch (UnrecognizedPropertyException e) {
      throw new InputError(file + where(e) + ": " + unknown(e), e);
    } catch (ValueInstantiationException e) {
      Throwable cause = e.getCause();
      String reason = cause instanceof InputError ? cause.getMessage() : e.getOriginalMessage();
      throw new InputError(file + ": " + reason, e);
    } catch (MismatchedInputException e) {
      throw new InputError(file + misspelled(file, e).orElseGet(() -> mismatch(e)), e);
    } catch (JsonMappingException e) {
      throw new InputError(
          file + where(e) + ": key '" + path(e.getPath()) + "': " + e.getOriginalMessage(), e);
    } catch (JsonProcessingException e) {
      throw new InputError(file + where(e) + ": not YAML: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new InputError("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private void override(Path file, JsonNode tree, String key, String value)
      throws JsonProcessingException {
    int dot = key.lastIndexOf('.');
    var parent = dot < 0 ? tree : tree.at("/" + key.substring(0, dot).replace('.', '/'));
    if (!(parent instanceof ObjectNode object)) {
      throw new InputError(
          file
              + ": --set "
              + key
              + ": there is no section '"
              + key.substring(0, Math.max(0, dot))
              + "'");
    }
    object.set(key.substring(dot + 1), mapper.readTree(value));
  }

  /** An empty value would reach the records as null. */
  private static void refuseEmpty(Path file, JsonNode node, String at) {
    node.fields()
        .forEachRemaining(
            field -> {
              String key = at.isEmpty() ? field.getKey() : at + "." + field.getKey();
              if (field.getValue().isNull()) {
                throw new InputError(file + ": key '" + key + "' is empty, expected a value");
              }
              refuseEmpty(file, field.getValue(), key);
            });
  }

  private static String mismatch(JsonMappingException e) {
    return where(e) + ": key '" + path(e.getPath()) + "': " + e.getOriginalMessage();
  }

  /**
   * A required key is missing. Most often it is there under another name, and that is what the user
   * must hear of; Jackson looks for unknown keys only later.
   */
  private Optional<String> misspelled(Path file, MismatchedInputException e) {
    int depth = e.getPath().size() - 1;
    if (depth < 0 || !(e.getPath().get(depth).getFrom() instanceof Class<?> record)) {
      return Optional.empty();
    }
    List<Reference> section = e.getPath().subList(0, depth);
    try {
      JsonNode present = mapper.readTree(Files.readString(file));
      for (Reference reference : section) {
        present = present.path(reference.getFieldName());
      }
      Set<String> known = new TreeSet<>();
      mapper
          .getDeserializationConfig()
          .introspect(mapper.constructType(record))
          .findProperties()
          .forEach(property -> known.add(property.getName()));
      for (String key : (Iterable<String>) present::fieldNames) {
        if (!known.isEmpty() && !known.contains(key) && !key.equals(EnvironmentConfig.KIND)) {
          return Optional.of(line(file, key) + ": " + unknown(key, known, section));
        }
      }
      return Optional.empty();
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  private static String line(Path file, String key) throws IOException {
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).strip().startsWith(key + ":")) {
        return ":" + (i + 1);
      }
    }
    return "";
  }

  private static String unknown(UnrecognizedPropertyException e) {
    List<String> known = e.getKnownPropertyIds().stream().map(Object::toString).toList();
    return unknown(e.getPropertyName(), known, e.getPath().subList(0, e.getPath().size() - 1));
  }

  private static String unknown(String key, Collection<String> known, List<Reference> section) {
    String at = section.isEmpty() ? "" : " in '" + path(section) + "'";
    Optional<String> nearest = known.stream().min(Comparator.comparingInt(k -> distance(k, key)));
    return "unknown key '"
        + key
        + "'"
        + at
        + nearest.map(k -> ", did you mean '" + k + "'?").orElse("");
  }

  private static String where(JsonProcessingException e) {
    JsonLocation location = e.getLocation();
    return location == null || location.getLineNr() < 1 ? "" : ":" + location.getLineNr();
  }

  private static String path(List<Reference> path) {
    return path.stream()
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
