package org.vstar.env;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.exc.ValueInstantiationException;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
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
    } catch (JsonMappingException e) {
      throw new InputError(
          file + where(e) + ": key '" + path(e.getPath()) + "': " + e.getOriginalMessage(), e);
    } catch (JsonProcessingException e) {
      throw new InputError(file + where(e) + ": not YAML: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new InputError("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private void override(
      Path file, com.fasterxml.jackson.databind.JsonNode tree, String key, String value)
      throws JsonProcessingException {
    int dot = key.lastIndexOf('.');
    var parent = dot < 0 ? tree : tree.at("/" + key.substring(0, dot).replace('.', '/'));
    if (!(parent instanceof com.fasterxml.jackson.databind.node.ObjectNode object)) {
      throw new InputError(file + ": --set " + key + ": there is no section '" + key + "'");
    }
    object.set(key.substring(dot + 1), mapper.readTree(value));
  }

  private static String unknown(UnrecognizedPropertyException e) {
    Collection<Object> known = e.getKnownPropertyIds();
    String prefix = path(e.getPath().subList(0, e.getPath().size() - 1));
    String at = prefix.isEmpty() ? "" : " in '" + prefix + "'";
    Optional<String> nearest =
        known.stream()
            .map(Object::toString)
            .min(Comparator.comparingInt(k -> distance(k, e.getPropertyName())));
    return "unknown key '"
        + e.getPropertyName()
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
    String x = a.toLowerCase(java.util.Locale.ROOT);
    String y = b.toLowerCase(java.util.Locale.ROOT);
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
