package org.vstar.env.webshop.catalog;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjLongConsumer;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.python.PythonText;

/**
 * WebShop's own files, read as streams.
 *
 * @param products list of products ({@code items_shuffle*.json})
 * @param attributes asin → attributes and instruction ({@code items_ins_v2*.json})
 * @param human asin → instructions of people ({@code items_human_ins.json})
 * @param maxEntries how many entries of the list are looked at ({@code num_products})
 */
public record ProductFiles(Path products, Path attributes, Path human, int maxEntries) {

  private static final int ASIN_LENGTH = 10;
  private static final double NO_PRICE = 100;

  /** Reads one entry after the other from a stream. */
  private static final ObjectReader ENTRIES =
      Json.MAPPER.reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** All entries. */
  public ProductFiles(Path products, Path attributes, Path human) {
    this(products, attributes, human, Integer.MAX_VALUE);
  }

  /** What the attributes file says of a product; attributes are null if it has no list of them. */
  private record Instructed(
      List<String> attributes, String instruction, List<String> instructionAttributes) {
    static final Instructed NOT = new Instructed(null, null, List.of());
  }

  /**
   * Reads all products, in file order.
   *
   * @param consumer is given each product and how many bytes of the file have been read
   * @throws InvalidInputException with file and place for what is not WebShop's format
   */
  public void read(ObjLongConsumer<Item> consumer) {
    Map<String, Instructed> withInstruction = withInstruction();
    JsonNode people = tree(human);
    Set<String> seen = new HashSet<>();
    try (JsonParser parser = parser(products)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw new InvalidInputException(products + ": expected a list of products");
      }
      for (int i = 0; i < maxEntries && parser.nextToken() != JsonToken.END_ARRAY; i++) {
        int line = parser.currentLocation().getLineNr();
        JsonNode product = ENTRIES.readTree(parser);
        String asin = product == null ? "" : product.path("asin").asText();
        // As the original does: what has no proper asin, or one that was seen, is left out.
        if (!asin.equals("nan") && asin.length() <= ASIN_LENGTH && seen.add(asin)) {
          Item item;
          try {
            item =
                item(
                    product, withInstruction.getOrDefault(asin, Instructed.NOT), people.path(asin));
          } catch (IllegalArgumentException e) {
            throw new InvalidInputException(
                products + ":" + line + ": product " + i + " (" + asin + "): " + e.getMessage(), e);
          }
          consumer.accept(item, parser.currentLocation().getByteOffset());
        }
      }
    } catch (JsonProcessingException e) {
      throw malformed(products, e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + products, e);
    }
  }

  /** Of a million products the tree would not fit; the same few thousand attributes come again. */
  private Map<String, Instructed> withInstruction() {
    Map<String, Instructed> all = new HashMap<>();
    Map<String, String> same = new HashMap<>();
    try (JsonParser parser = parser(attributes)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new InvalidInputException(
            attributes + ": expected an object with a field for each asin");
      }
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String asin = parser.currentName();
        parser.nextToken();
        JsonNode node = ENTRIES.readTree(parser);
        all.put(
            asin,
            new Instructed(
                node.has("attributes") ? shared(node.path("attributes"), same) : null,
                node.hasNonNull("instruction") ? node.path("instruction").asText() : null,
                shared(node.path("instruction_attributes"), same)));
      }
    } catch (JsonProcessingException e) {
      throw malformed(attributes, e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + attributes, e);
    }
    return all;
  }

  private static List<String> shared(JsonNode list, Map<String, String> same) {
    return strings(list).stream().map(s -> same.computeIfAbsent(s, t -> t)).toList();
  }

  private static JsonParser parser(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new InvalidInputException(file + " does not exist");
    }
    return Json.MAPPER.createParser(file.toFile());
  }

  private static InvalidInputException malformed(Path file, JsonProcessingException e) {
    int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
    return new InvalidInputException(
        file + ":" + line + ": not JSON: " + e.getOriginalMessage(), e);
  }

  public static JsonNode tree(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new InvalidInputException(file + " does not exist");
    }
    try {
      return Json.MAPPER.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw malformed(file, e);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + file, e);
    }
  }

  private static Item item(JsonNode p, Instructed ins, JsonNode people) {
    List<Item.HumanInstruction> human = new ArrayList<>();
    for (JsonNode h : people) {
      human.add(
          new Item.HumanInstruction(
              h.path("instruction").asText(),
              strings(h.path("instruction_attributes")),
              strings(h.path("instruction_options"))));
    }
    JsonNode bullets = p.path("small_description");
    return new Item(
        p.path("asin").asText(),
        required(p, "name"),
        p.path("full_description").asText(""),
        bullets.isArray() ? strings(bullets) : List.of(bullets.asText("")),
        prices(p.path("pricing").isNull() ? "" : p.path("pricing").asText("")),
        options(p.path("customization_options")),
        ins.attributes == null ? List.of("DUMMY_ATTR") : ins.attributes,
        ins.instruction,
        ins.instructionAttributes,
        List.copyOf(human),
        PythonText.strip(PythonText.lower(required(p, "query"))),
        required(p, "category"),
        required(p, "product_category"));
  }

  private static String required(JsonNode product, String key) {
    if (!product.hasNonNull(key)) {
      throw new IllegalArgumentException("'" + key + "' is missing");
    }
    return product.path(key).asText();
  }

  private static List<String> strings(JsonNode list) {
    List<String> strings = new ArrayList<>();
    list.forEach(s -> strings.add(s.asText()));
    return List.copyOf(strings);
  }

  private static List<Double> prices(String pricing) {
    List<Double> prices = new ArrayList<>();
    String[] pieces = pricing.split("\\$", -1);
    for (int i = 1; i < pieces.length && prices.size() < 2; i++) {
      String digits = pieces[i].replaceAll("[^0-9.]", "");
      try {
        prices.add(Double.valueOf(digits));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("pricing '" + pricing + "' is not a price", e);
      }
    }
    return prices.isEmpty() ? List.of(NO_PRICE) : List.copyOf(prices);
  }

  private static Map<String, List<String>> options(JsonNode groups) {
    Map<String, List<String>> options = new LinkedHashMap<>();
    groups
        .properties()
        .forEach(
            group -> {
              if (!group.getValue().isNull()) {
                options.put(
                    PythonText.lower(group.getKey()), values(group.getKey(), group.getValue()));
              }
            });
    return java.util.Collections.unmodifiableMap(options);
  }

  private static List<String> values(String group, JsonNode list) {
    if (!list.isArray() && !list.asText("?").isEmpty()) {
      throw new IllegalArgumentException("options '" + group + "' are not a list");
    }
    List<String> values = new ArrayList<>();
    for (JsonNode value : list) {
      String text = PythonText.strip(value.path("value").asText());
      values.add(PythonText.lower(text.replace("/", " | ")));
    }
    return List.copyOf(values);
  }
}
