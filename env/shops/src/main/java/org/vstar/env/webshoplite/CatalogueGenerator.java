package org.vstar.env.webshoplite;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.vstar.common.AtomicFiles;
import org.vstar.common.Json;

/**
 * Writes the small shop's catalogue: 71 kinds of product in 8 categories, 7 variants of each. The
 * same bytes every time.
 */
public final class CatalogueGenerator {

  private static final long SEED = 497;
  private static final int VARIANTS = 7;

  /** Category → kinds. Kinds that share their last word make one-word searches ambiguous. */
  private static final Map<String, List<String>> KINDS =
      new TreeMap<>(
          Map.of(
              "Shoes",
              List.of(
                  "Running Shoes",
                  "Hiking Shoes",
                  "Walking Shoes",
                  "Loafers",
                  "Rain Boots",
                  "Winter Boots",
                  "Ankle Boots",
                  "Sandals",
                  "House Slippers"),
              "Electronics",
              List.of(
                  "Gaming Headphones",
                  "Travel Headphones",
                  "Studio Headphones",
                  "Bluetooth Speaker",
                  "Party Speaker",
                  "Phone Charger",
                  "Laptop Charger",
                  "Car Charger",
                  "Tablet"),
              "Apparel",
              List.of(
                  "Rain Jacket",
                  "Denim Jacket",
                  "Fleece Jacket",
                  "Wool Sweater",
                  "Cotton Sweater",
                  "Dress Shirt",
                  "Linen Shirt",
                  "Polo Shirt",
                  "Jeans"),
              "Fitness",
              List.of(
                  "Yoga Mat",
                  "Exercise Mat",
                  "Gym Mat",
                  "Resistance Band",
                  "Headband",
                  "Jump Rope",
                  "Climbing Rope",
                  "Kettlebell",
                  "Dumbbell"),
              "Home",
              List.of(
                  "Blanket",
                  "Floor Lamp",
                  "Table Lamp",
                  "Desk Lamp",
                  "Wall Clock",
                  "Alarm Clock",
                  "Throw Pillow",
                  "Bed Pillow",
                  "Curtains"),
              "Accessories",
              List.of(
                  "Backpack",
                  "Leather Belt",
                  "Canvas Belt",
                  "Sun Hat",
                  "Bucket Hat",
                  "Straw Hat",
                  "Silk Scarf",
                  "Winter Scarf",
                  "Wallet"),
              "Kitchen",
              List.of(
                  "Measuring Cups",
                  "Coffee Mug",
                  "Tea Mug",
                  "Travel Mug",
                  "Frying Pan",
                  "Sauce Pan",
                  "Baking Pan",
                  "Cutting Board",
                  "Blender"),
              "Books",
              List.of(
                  "Cookbook",
                  "Travel Guide",
                  "Garden Guide",
                  "Science Textbook",
                  "History Textbook",
                  "Mystery Novel",
                  "Fantasy Novel",
                  "Romance Novel")));

  private static final List<String> COLOURS =
      List.of(
          "Black",
          "White",
          "Red",
          "Blue",
          "Green",
          "Grey",
          "Turquoise",
          "Navy",
          "Purple",
          "Yellow");
  private static final List<String> STYLES =
      List.of(
          "Classic",
          "Modern",
          "Vintage",
          "Compact",
          "Deluxe",
          "Lightweight",
          "Premium",
          "Everyday",
          "Slim",
          "Rustic",
          "Elegant",
          "Sturdy",
          "Simple",
          "Popular");

  private static final Map<String, List<String>> TAGS =
      Map.of(
          "Shoes", List.of("footwear", "outdoor", "comfort", "leisure"),
          "Electronics", List.of("device", "wireless", "portable", "office"),
          "Apparel", List.of("clothing", "wardrobe", "casual", "season"),
          "Fitness", List.of("workout", "training", "sport", "health"),
          "Home", List.of("decor", "bedroom", "living", "cosy"),
          "Accessories", List.of("fashion", "gift", "daily", "unisex"),
          "Kitchen", List.of("cooking", "utensil", "tableware", "chef"),
          "Books", List.of("reading", "paperback", "library", "author"));

  private static final List<String> ATTRIBUTES =
      List.of(
          "durable",
          "soft",
          "washable",
          "recycled",
          "handmade",
          "waterproof",
          "foldable",
          "adjustable",
          "bestseller",
          "limited",
          "imported",
          "organic");

  /** Titles that must exist, and the ids of those that have a fixed one (−1: any). */
  private static final Map<String, Integer> PINNED =
      new TreeMap<>(
          Map.of(
              "Classic Blanket", 201,
              "Turquoise Backpack", 378,
              "Black Loafers", 31,
              "Red Running Shoes", -1,
              "Running Headband", -1));

  private CatalogueGenerator() {}

  /** The catalogue as JSON lines. */
  public static String generate() throws JsonProcessingException {
    StringBuilder lines = new StringBuilder();
    for (Item product : products()) {
      lines.append(Json.MAPPER.writeValueAsString(product)).append('\n');
    }
    return lines.toString();
  }

  private static List<Item> products() {
    Random random = new Random(SEED);
    List<Item> unnumbered = new ArrayList<>();
    KINDS.forEach(
        (category, kinds) -> {
          for (String kind : kinds) {
            for (String first : variants(category, kind, random)) {
              unnumbered.add(product(first + " " + kind, category, random));
            }
          }
        });
    Collections.shuffle(unnumbered, random);
    PINNED.forEach((title, id) -> pin(unnumbered, title, id));
    List<Item> numbered = new ArrayList<>();
    for (int i = 0; i < unnumbered.size(); i++) {
      numbered.add(unnumbered.get(i).withId(i));
    }
    return numbered;
  }

  /** Seven first words for a kind; books have no colours; pinned titles come first. */
  private static List<String> variants(String category, String kind, Random random) {
    List<String> drawn = new ArrayList<>(STYLES);
    if (!category.equals("Books")) {
      drawn.addAll(COLOURS);
    }
    Collections.shuffle(drawn, random);
    for (String title : PINNED.keySet()) {
      if (title.endsWith(" " + kind)) {
        String first = title.substring(0, title.length() - kind.length() - 1);
        drawn.remove(first);
        drawn.add(0, first);
      }
    }
    return drawn.subList(0, VARIANTS);
  }

  private static Item product(String title, String category, Random random) {
    List<String> tags = new ArrayList<>(TAGS.get(category));
    Collections.shuffle(tags, random);
    List<String> attributes = new ArrayList<>(ATTRIBUTES);
    Collections.shuffle(attributes, random);
    double price = 5 + random.nextInt(195) + 0.05 * random.nextInt(20);
    return new Item(
        0,
        title,
        category,
        tags.subList(0, 2),
        Math.round(price * 100) / 100.0,
        attributes.subList(0, 2));
  }

  private static void pin(List<Item> products, String title, int id) {
    for (int i = 0; id >= 0 && i < products.size(); i++) {
      if (products.get(i).title().equals(title)) {
        Collections.swap(products, i, id);
        return;
      }
    }
  }

  /** Writes the catalogue to the file named by the one argument. */
  public static void main(String[] args) throws IOException {
    byte[] lines = generate().getBytes(StandardCharsets.UTF_8);
    AtomicFiles.write(Path.of(args[0]), out -> out.write(lines));
  }
}
