package org.vstar.env.webshop;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.vstar.env.InputError;

/** WebShop's products, read from its own files; immutable and shared. */
public final class WebShopData {

  private static final int ASIN_LENGTH = 10;
  private static final double NO_PRICE = 100;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Item> items;
  private final Map<String, Item> byAsin = new LinkedHashMap<>();
  private final Map<String, Double> prices;

  /** Takes products and what each costs. */
  WebShopData(List<Item> items, Map<String, Double> prices) {
    this.items = List.copyOf(items);
    this.prices = Map.copyOf(prices);
    items.forEach(item -> byAsin.put(item.asin(), item));
  }

  /** What products cost: of a range, a uniform draw. */
  private static Map<String, Double> prices(List<Item> items, PythonRandom random) {
    Map<String, Double> prices = new LinkedHashMap<>();
    for (Item item : items) {
      List<Double> p = item.prices();
      prices.put(item.asin(), p.size() == 1 ? p.get(0) : random.uniform(p.get(0), p.get(1)));
    }
    return prices;
  }

  /**
   * Reads WebShop's three files, the products as a stream.
   *
   * @param random draws the prices of products that have a range
   * @param products list of products ({@code items_shuffle*.json})
   * @param attributes asin → attributes and instruction ({@code items_ins_v2*.json})
   * @param human asin → instructions of people ({@code items_human_ins.json})
   * @throws InputError with file and place for what is not WebShop's format
   */
  public static WebShopData read(Path products, Path attributes, Path human, PythonRandom random) {
    JsonNode ins = tree(attributes);
    JsonNode people = tree(human);
    Map<String, Item> items = new LinkedHashMap<>();
    try (JsonParser parser = JSON.createParser(products.toFile())) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        throw new InputError(products + ": expected a list of products");
      }
      for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
        int line = parser.currentLocation().getLineNr();
        JsonNode product = JSON.readTree(parser);
        String asin = product == null ? "" : product.path("asin").asText();
        // As the original does: what has no proper asin, or one that was seen, is left out.
        if (!asin.equals("nan") && asin.length() <= ASIN_LENGTH && !items.containsKey(asin)) {
          try {
            items.put(asin, item(product, ins.path(asin), people.path(asin)));
          } catch (IllegalArgumentException e) {
            throw new InputError(
                products + ":" + line + ": product " + i + " (" + asin + "): " + e.getMessage(), e);
          }
        }
      }
    } catch (JsonProcessingException e) {
      throw malformed(products, e);
    } catch (IOException e) {
      throw new InputError("cannot read " + products + ": " + e.getMessage(), e);
    }
    List<Item> all = List.copyOf(items.values());
    return new WebShopData(all, prices(all, random));
  }

  private static InputError malformed(Path file, JsonProcessingException e) {
    int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
    return new InputError(file + ":" + line + ": not JSON: " + e.getOriginalMessage(), e);
  }

  static JsonNode tree(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new InputError(file + " does not exist");
    }
    try {
      return JSON.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw malformed(file, e);
    } catch (IOException e) {
      throw new InputError("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static Item item(JsonNode p, JsonNode ins, JsonNode people) {
    List<String> attributes = strings(ins.path("attributes"));
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
        attributes.isEmpty() ? List.of("DUMMY_ATTR") : attributes,
        ins.hasNonNull("instruction") ? ins.path("instruction").asText() : null,
        strings(ins.path("instruction_attributes")),
        List.copyOf(human),
        Python.strip(required(p, "query").toLowerCase(Locale.ROOT)),
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
        .fields()
        .forEachRemaining(
            group -> {
              if (group.getValue().isArray()) {
                List<String> values = new ArrayList<>();
                for (JsonNode value : group.getValue()) {
                  String text = Python.strip(value.path("value").asText());
                  values.add(text.replace("/", " | ").toLowerCase(Locale.ROOT));
                }
                options.put(group.getKey().toLowerCase(Locale.ROOT), List.copyOf(values));
              }
            });
    return java.util.Collections.unmodifiableMap(options);
  }

  /** All products, in file order. */
  public List<Item> items() {
    return items;
  }

  /** The product with an asin. */
  public Optional<Item> item(String asin) {
    return Optional.ofNullable(byAsin.get(asin));
  }

  /** What each product costs, by asin. */
  Map<String, Double> prices() {
    return prices;
  }

  /** What a product costs when it is bought. */
  public double price(Item item) {
    return prices.get(item.asin());
  }
}
