package org.vstar.env.webshop.catalog;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.vstar.common.Json;

/**
 * Writes a catalogue of our own in WebShop's format, as large as wanted: what tests and trials use
 * where the published files are not at hand. The same size gives the same bytes.
 */
public final class MiniCatalogue {

  private static final long SEED = 2207;
  private static final int WORDS = 1_000_003;

  /** One product in this many has an instruction that a person wrote. */
  private static final int OFTEN = 10;

  private static final int RARELY = 100;
  private static final int STRIDE = 7919;
  private static final List<String> KINDS =
      List.of("Lamp", "Kettle", "Backpack", "Sneaker", "Blanket", "Desk Chair", "T-Shirt", "Mug");
  private static final List<String> MAKERS =
      List.of("Arbor", "Brightside", "Café Nord", "Delta & Sons", "Evergreen", "O'Hara");
  private static final List<String> ATTRIBUTES =
      List.of("easy clean", "light weight", "machine washable", "non slip", "eco friendly");
  private static final List<String> COLOURS =
      List.of("Black", "Dark Blue", "Army\u00a0Green", "White/Red", "Rose Gold", "Light Grey");
  private static final List<String> SIZES = List.of("Small", "Large", "X-Large", "9\" wide");

  private MiniCatalogue() {}

  /**
   * Writes {@code items.json}, {@code attributes.json} and {@code human.json} as streams.
   *
   * @param size how many products
   * @param padding words more in each description: WebShop's own products have several hundred
   */
  public static void write(Path folder, int size, int padding) throws IOException {
    Random random = new Random(SEED);
    try (JsonGenerator products = generator(folder.resolve("items.json"));
        JsonGenerator attributes = generator(folder.resolve("attributes.json"));
        JsonGenerator human = generator(folder.resolve("human.json"))) {
      products.useDefaultPrettyPrinter();
      products.writeStartArray();
      attributes.writeStartObject();
      human.writeStartObject();
      for (int i = 0; i < size; i++) {
        String kind = KINDS.get(i % KINDS.size());
        String asin = String.format(Locale.ROOT, "V%09d", i);
        List<String> own = drawn(ATTRIBUTES, 2, random);
        ObjectNode product = Json.MAPPER.createObjectNode();
        product(product, asin, kind, own, i, random);
        if (padding > 0) {
          product.put("full_description", padded(product, padding, random));
        }
        products.writeTree(product);
        attributes.writeFieldName(asin);
        attributes.writeTree(attributesEntry(kind, own, i));
        if (i % (padding > 0 ? RARELY : OFTEN) == 0) {
          human.writeFieldName(asin);
          human.writeTree(humanInstructions(asin, kind, own));
        }
      }
      products.writeEndArray();
      attributes.writeEndObject();
      human.writeEndObject();
      for (JsonGenerator file : List.of(products, attributes, human)) {
        file.writeRaw('\n');
      }
    }
  }

  private static JsonGenerator generator(Path file) throws IOException {
    return Json.MAPPER.getFactory().createGenerator(file.toFile(), JsonEncoding.UTF8);
  }

  /** Random words whose frequencies fall off as those of a natural language do (Zipf). */
  private static String padded(ObjectNode product, int padding, Random random) {
    StringBuilder text = new StringBuilder(product.path("full_description").asText());
    for (int i = 0; i < padding; i++) {
      long rank = (long) Math.pow(WORDS, random.nextDouble());
      text.append(" w").append(Long.toString(rank * STRIDE % WORDS, Character.MAX_RADIX));
    }
    return text.toString();
  }

  private static ObjectNode attributesEntry(String kind, List<String> own, int i) {
    ObjectNode entry = Json.MAPPER.createObjectNode();
    own.forEach(entry.putArray("attributes")::add);
    if (i % 3 != 2) {
      entry.put("instruction", "Find me " + own.get(0) + " " + kind.toLowerCase(Locale.ROOT) + "s");
      entry.putArray("instruction_attributes").add(own.get(0));
    }
    return entry;
  }

  private static ArrayNode humanInstructions(String asin, String kind, List<String> own) {
    ArrayNode list = Json.MAPPER.createArrayNode();
    ObjectNode entry = list.addObject();
    entry.put("asin", asin).put("instruction", "i want a " + own.get(0) + " " + kind + ".");
    entry.putArray("instruction_attributes").add(own.get(0));
    entry.putArray("instruction_options");
    return list;
  }

  private static void product(
      ObjectNode p, String asin, String kind, List<String> own, int i, Random random) {
    String maker = MAKERS.get(random.nextInt(MAKERS.size()));
    double minPrice = 5 + random.nextInt(9000) / 100.0;
    String range = String.format(Locale.ROOT, "$%.2f$%.2f", minPrice, minPrice + 10);
    p.put("name", maker + " " + own.get(0) + " " + kind + " No. " + i);
    p.put("full_description", i % 5 == 0 ? "" : "A " + kind + " by " + maker + ", " + own.get(1));
    p.put(
        "pricing",
        i % 7 == 0 ? "" : i % 4 == 0 ? range : String.format(Locale.ROOT, "$%.2f", minPrice));
    p.put("product_category", "Home › Things › " + kind);
    ArrayNode bullets = p.putArray("small_description");
    bullets.add(own.get(1) + " and sturdy");
    bullets.add("");
    if (i % 2 == 0) {
      ObjectNode options = p.putObject("customization_options");
      values(options.putArray("Color"), drawn(COLOURS, 3, random));
      if (i % 4 == 0) {
        values(options.putArray("Size"), drawn(SIZES, 2, random));
      }
      options.putNull("Style");
    } else {
      p.put("customization_options", "");
    }
    p.put("asin", asin).put("category", i % 2 == 0 ? "home" : "garden");
    p.put("query", kind + "s");
  }

  private static void values(ArrayNode array, List<String> values) {
    values.forEach(value -> array.addObject().put("value", value));
  }

  private static List<String> drawn(List<String> from, int count, Random random) {
    List<String> shuffled = new ArrayList<>(from);
    Collections.shuffle(shuffled, random);
    return shuffled.subList(0, count);
  }

  /** Writes a catalogue: folder, number of products, words more in each description (0). */
  public static void main(String[] args) throws IOException {
    Path folder = Files.createDirectories(Path.of(args[0]));
    write(folder, Integer.parseInt(args[1]), args.length > 2 ? Integer.parseInt(args[2]) : 0);
  }
}
