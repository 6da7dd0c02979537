package org.vstar.env.webshoplite;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.search.similarities.BasicStats;
import org.apache.lucene.search.similarities.SimilarityBase;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.Lazy;
import org.vstar.common.Seeds;
import org.vstar.env.shopping.SearchIndex;

/** The products of a shop, and the search over them. Position i holds the product with id i. */
public final class Catalogue implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Counts shared words. */
  private static final SearchIndex.Ranking OVERLAP =
      new SearchIndex.Ranking(new WhitespaceAnalyzer(), new Overlap(), Integer.MAX_VALUE);

  private final List<Item> products;
  private final List<String> categories;

  private final Lazy<SearchIndex> index = new Lazy<>();

  /**
   * Takes products in any order.
   *
   * @throws InvalidInputException unless the ids are 0 to n − 1 and the titles are distinct
   */
  public Catalogue(List<Item> items) {
    List<Item> sorted = new ArrayList<>(items);
    sorted.sort(Comparator.comparingInt(Item::id));
    Set<String> titles = new HashSet<>();
    for (int i = 0; i < sorted.size(); i++) {
      Item product = sorted.get(i);
      if (product.id() != i) {
        throw new InvalidInputException(
            "catalogue: expected each id from 0 to "
                + (sorted.size() - 1)
                + " once, but id "
                + i
                + " is "
                + (product.id() > i ? "missing" : "there twice"));
      }
      if (!titles.add(product.title())) {
        throw new InvalidInputException(
            "catalogue: title '" + product.title() + "' is there twice");
      }
    }
    products = List.copyOf(sorted);
    categories = products.stream().map(Item::category).distinct().sorted().toList();
  }

  /**
   * Reads one product a line.
   *
   * @throws InvalidInputException with file and line for the first line that is not a product
   */
  public static Catalogue read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new InvalidInputException("catalogue " + file + " does not exist");
    }
    List<Item> products = new ArrayList<>();
    try {
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        products.add(parse(file, i + 1, lines.get(i)));
      }
    } catch (IOException e) {
      throw InvalidInputException.cannot("read catalogue " + file, e);
    }
    return new Catalogue(products);
  }

  private static Item parse(Path file, int line, String text) {
    try {
      Item item = Json.MAPPER.readValue(text, Item.class);
      if (item == null) {
        throw new InvalidInputException(file + ":" + line + ": not a product: null");
      }
      return item;
    } catch (JsonProcessingException e) {
      String reason = e.getCause() == null ? e.getOriginalMessage() : e.getCause().getMessage();
      throw new InvalidInputException(
          file
              + ":"
              + line
              + ": not a product: "
              + reason
              + " (expected id, title, category, tags, price, attributes)",
          e);
    }
  }

  private static final class Overlap extends SimilarityBase {
    @Override
    protected double score(BasicStats term, double times, double length) {
      return term.getBoost() * times;
    }

    @Override
    public String toString() {
      return "overlap";
    }
  }

  /** Title words twice: they say more of a product than those of its tags or its category. */
  private static SearchIndex.Document document(Item product) {
    List<String> words = new ArrayList<>(Words.of(product.title()));
    Set<String> other = Words.of(product.category() + " " + String.join(" ", product.tags()));
    other.removeAll(words);
    words.addAll(List.copyOf(words));
    words.addAll(other);
    return new SearchIndex.Document(key(product.id()), String.join(" ", words), Map.of());
  }

  /** An id as text that sorts as the numbers do. */
  private static String key(int id) {
    return String.format(Locale.ROOT, "%010d", id);
  }

  private SearchIndex index() {
    return index.get(
        () -> SearchIndex.inMemory(OVERLAP, products.stream().map(Catalogue::document)::iterator));
  }

  public List<Item> products() {
    return products;
  }

  /** The categories, sorted. */
  public List<String> categories() {
    return categories;
  }

  /**
   * All products that share a word with the query: most overlap first, then by id.
   *
   * <p>Overlap counts the query's distinct words, twice where the title has them.
   */
  public List<Item> search(String query) {
    return index().search(String.join(" ", Words.of(query))).stream()
        .map(hit -> products.get(Integer.parseInt(hit.id())))
        .toList();
  }

  /** Content hash of all products. */
  public String fingerprint() {
    ContentHash hash = new ContentHash();
    products.forEach(product -> hash.add(product.canonical().text()));
    return hash.hex();
  }

  /**
   * The same kinds of product with other ids and other titles: within a category the titles' first
   * words change places, as far as titles stay distinct, and all ids are dealt anew. What can be
   * learned from many of these is to read the page; what can be remembered of one is useless in the
   * next.
   */
  public Catalogue shuffled(long seed) {
    SplittableRandom random = Seeds.random(seed, "shuffled catalogue");
    Map<String, List<Item>> byCategory =
        products.stream()
            .collect(
                Collectors.groupingBy(Item::category, java.util.TreeMap::new, Collectors.toList()));
    List<Item> renamed = new ArrayList<>();
    byCategory.values().forEach(group -> renamed.addAll(renamed(group, random)));
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < products.size(); i++) {
      ids.add(i);
    }
    Seeds.shuffle(ids, random);
    List<Item> dealt = new ArrayList<>();
    for (int i = 0; i < renamed.size(); i++) {
      dealt.add(renamed.get(i).withId(ids.get(i)));
    }
    return new Catalogue(dealt);
  }

  /** Gives each kind of product (a title less its first word) another draw of first words. */
  private static List<Item> renamed(List<Item> group, SplittableRandom random) {
    Set<String> first = new LinkedHashSet<>();
    Map<String, List<Item>> byKind = new java.util.LinkedHashMap<>();
    for (Item product : group) {
      int space = product.title().indexOf(' ');
      first.add(product.title().substring(0, space));
      byKind
          .computeIfAbsent(product.title().substring(space + 1), k -> new ArrayList<>())
          .add(product);
    }
    List<Item> renamed = new ArrayList<>();
    byKind.forEach(
        (kind, variants) -> {
          List<String> draw = new ArrayList<>(first);
          Seeds.shuffle(draw, random);
          for (int i = 0; i < variants.size(); i++) {
            Item p = variants.get(i);
            String title = draw.get(i) + " " + kind;
            renamed.add(new Item(p.id(), title, p.category(), p.tags(), p.price(), p.attributes()));
          }
        });
    return renamed;
  }
}
