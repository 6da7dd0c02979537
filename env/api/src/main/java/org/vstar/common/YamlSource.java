package org.vstar.common;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A YAML file with what it includes and what the command line overrides, and the place of each key.
 */
final class YamlSource {

  /** The key that says which of several records a section is for. */
  static final String KIND = "kind";

  /** The longest chain of files that include one another; a circle is longer. */
  private static final int MOST_INCLUDES = 8;

  /** The key of a file that this one builds on: keys that stand here go before that file's. */
  private static final String INCLUDE = "include";

  private static final Pattern LEADING_ZERO = Pattern.compile("[-+]?0[0-9_]+");

  private static final YAMLFactory YAML_FACTORY = new YAMLFactory();

  private static final ObjectMapper YAML =
      YAMLMapper.builder(YAML_FACTORY)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .build();

  private final Path file;
  private final ObjectNode tree;

  /** Dotted key → {@code file:line}. */
  private final Map<String, String> locations = new HashMap<>();

  private YamlSource(Path file, ObjectNode tree) {
    this.file = file;
    this.tree = tree;
  }

  /**
   * Reads a file and all that it includes.
   *
   * @throws InvalidInputException with file and line if there is no such file, it is not YAML, or a
   *     value is empty
   */
  static YamlSource read(Path file) {
    return read(file, 0);
  }

  private static YamlSource read(Path file, int depth) {
    if (!Files.isRegularFile(file)) {
      throw new InvalidInputException("config file " + file + " does not exist");
    }
    if (depth > MOST_INCLUDES) {
      throw new InvalidInputException(file + ": files include one another without end");
    }
    try {
      String text = Files.readString(file);
      if (!(YAML.readTree(text) instanceof ObjectNode tree)) {
        throw new InvalidInputException(file + " is not a config: expected 'key: value' lines");
      }
      requireOneReading(file.toString(), text);
      YamlSource source = new YamlSource(file, tree);
      source.collectPlaces(text);
      source.refuseEmpty(tree, "");
      JsonNode include = tree.remove(INCLUDE);
      return include == null ? source : source.over(included(source, include, depth));
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw new InvalidInputException(
          file + (line > 0 ? ":" + line : "") + ": not YAML: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file, e);
    }
  }

  private static YamlSource included(YamlSource source, JsonNode include, int depth) {
    if (!include.isTextual()) {
      throw new InvalidInputException(
          source.location(INCLUDE) + ": key '" + INCLUDE + "': expected the name of one file");
    }
    Path base = source.file.resolveSibling(include.asText());
    if (!Files.isRegularFile(base)) {
      throw new InvalidInputException(
          source.location(INCLUDE) + ": the included file " + base + " does not exist");
    }
    return read(base, depth + 1);
  }

  private YamlSource over(YamlSource base) {
    YamlSource merged = new YamlSource(file, base.tree);
    merged.locations.putAll(base.locations);
    merged.locations.putAll(locations);
    merge(base.tree, tree);
    return merged;
  }

  private static void merge(ObjectNode into, ObjectNode from) {
    // A section of another kind has other keys: it takes the place, all others are merged.
    boolean otherKind = from.has(KIND) && !from.path(KIND).equals(into.path(KIND));
    if (otherKind) {
      into.removeAll();
    }
    from.properties()
        .forEach(
            field -> {
              JsonNode old = into.get(field.getKey());
              if (old instanceof ObjectNode section && field.getValue() instanceof ObjectNode own) {
                merge(section, own);
              } else {
                into.set(field.getKey(), field.getValue());
              }
            });
  }

  private void collectPlaces(String text) throws IOException {
    try (JsonParser parser = YAML.createParser(text)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() == JsonToken.FIELD_NAME) {
          String key = parser.getParsingContext().pathAsPointer().toString().substring(1);
          locations.put(
              key.replace('/', '.'), file + ":" + parser.currentTokenLocation().getLineNr());
        }
      }
    }
  }

  /**
   * Refuses what another reader of YAML would read otherwise, or what would be read over: a second
   * document, an alias, a number with a leading zero.
   */
  private static void requireOneReading(String where, String text) throws JsonProcessingException {
    try (YAMLParser parser = YAML_FACTORY.createParser(text)) {
      boolean ended = false;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        int line = parser.currentTokenLocation().getLineNr();
        String wrong = null;
        if (ended) {
          wrong = "a second document begins here, expected one";
        } else if (parser.isCurrentAlias()) {
          wrong = "'*" + parser.getText() + "' is an alias, expected the value itself";
        } else if (token == JsonToken.VALUE_NUMBER_INT
            && LEADING_ZERO.matcher(parser.getText()).matches()) {
          wrong =
              "'"
                  + parser.getText()
                  + "' begins with a zero: leave it out, or put quotes around what is text";
        }
        if (wrong != null) {
          throw new InvalidInputException(where + ":" + line + ": " + wrong);
        }
        ended = parser.getParsingContext().inRoot() && !token.isStructStart();
      }
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException("a text is in memory", e);
    }
  }

  /** An empty value would reach the records as null. */
  private void refuseEmpty(JsonNode node, String at) {
    node.properties()
        .forEach(
            field -> {
              String key = at.isEmpty() ? field.getKey() : at + "." + field.getKey();
              if (field.getValue().isNull()) {
                throw new InvalidInputException(
                    location(key) + ": key '" + key + "' is empty, expected a value");
              }
              refuseEmpty(field.getValue(), key);
            });
  }

  /**
   * Sets a key as {@code --set} does.
   *
   * @throws InvalidInputException if its section is a value, or the value is not YAML
   */
  void set(String key, String value) {
    int dot = key.lastIndexOf('.');
    String place = "--set " + key + "=" + value;
    ObjectNode section = dot < 0 ? tree : section(key.substring(0, dot), place);
    try {
      requireOneReading(place, value);
      JsonNode node = YAML.readTree(value);
      if (node.isNull() || node.isMissingNode()) {
        throw new InvalidInputException("--set " + key + " is empty, expected a value");
      }
      locations.keySet().removeIf(old -> old.startsWith(key + "."));
      locations.put(key, place);
      refuseEmpty(node, key);
      section.set(key.substring(dot + 1), node);
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(place + ": not YAML: " + e.getOriginalMessage(), e);
    }
  }

  /** A section, made if nothing stands there: what a config leaves out has defaults. */
  private ObjectNode section(String name, String place) {
    ObjectNode section = tree;
    String at = "";
    for (String part : name.split("\\.")) {
      at = at.isEmpty() ? part : at + "." + part;
      JsonNode next = section.get(part);
      if (next == null) {
        next = section.putObject(part);
        locations.put(at, place);
      } else if (!(next instanceof ObjectNode)) {
        throw new InvalidInputException(
            place + ": '" + at + "' is a value in " + location(at) + ", and no section");
      }
      section = (ObjectNode) next;
    }
    return section;
  }

  /** All keys and values. */
  ObjectNode tree() {
    return tree;
  }

  /**
   * Where a key stands: file and line, or the option that set it; for one that does not stand
   * there, where its section does.
   */
  String location(String key) {
    for (String at = key; !at.isEmpty(); at = at.substring(0, Math.max(0, at.lastIndexOf('.')))) {
      if (locations.containsKey(at)) {
        return locations.get(at);
      }
    }
    return file.toString();
  }
}
