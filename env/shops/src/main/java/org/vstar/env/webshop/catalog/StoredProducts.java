package org.vstar.env.webshop.catalog;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.SealedJson;
import org.vstar.env.shopping.SearchIndex;

/**
 * Products on disk, for catalogues of a million: in memory are their asins and a few numbers each.
 *
 * <p>The folder has {@code items.jsonl}, a product a line; {@code entries.bin}, a fixed number of
 * bytes for each; {@code search}, a Lucene index; and {@code about.json}, written last. Other
 * processes open it by its path.
 */
final class StoredProducts implements Products {

  static final String ITEMS = "items.jsonl";
  static final String ENTRIES = "entries.bin";
  static final String SEARCH = "search";
  static final String ABOUT = "about.json";

  private static final long serialVersionUID = 1L;

  /** Raised when an older index can no longer be used. */
  static final int VERSION = 4;

  private static final String ADVICE = "delete the index, and it is made again";

  private static final int ASIN = 10;
  private static final int CACHED = 4096;
  private static final int SPOTS = 16;
  private static final int SPOT_BYTES = 1 << 16;
  private static final byte WITH_INSTRUCTION = 1;
  private static final byte WITH_HUMAN_INSTRUCTION = 2;

  private final Path folder;
  private final About about;
  private final MappedFile items;
  private final ByteBuffer entries;
  private final Map<String, Integer> indices;

  /** Pages show the same products again and again. */
  private final Map<Integer, Item> cache =
      new LinkedHashMap<>(CACHED, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Item> eldest) {
          return size() > CACHED;
        }
      };

  /**
   * What an index is of.
   *
   * @param version of the format and of how the files are read
   * @param sources content hash of the files that it was made from
   * @param products how many there are
   * @param fingerprint content hash of the products
   * @param entries content hash of {@code entries.bin}, which has a checksum of each product
   */
  record About(int version, String sources, int products, String fingerprint, String entries) {}

  /**
   * One product's line of {@code entries.bin}.
   *
   * @param checksum of its line in {@code items.jsonl}
   */
  record Entry(
      String asin,
      long offset,
      int length,
      int checksum,
      double minPrice,
      double maxPrice,
      byte kinds) {

    static final int BYTES = ASIN + Long.BYTES + 2 * Integer.BYTES + 2 * Double.BYTES + 1;

    static Entry of(Item item, long offset, byte[] line) {
      int kinds = item.instruction() == null ? 0 : WITH_INSTRUCTION;
      kinds |= item.human().isEmpty() ? 0 : WITH_HUMAN_INSTRUCTION;
      double maxPrice = item.prices().size() == 1 ? Double.NaN : item.prices().get(1);
      return new Entry(
          item.asin(),
          offset,
          line.length,
          checksum(line),
          item.prices().get(0),
          maxPrice,
          (byte) kinds);
    }

    static int checksum(byte[] line) {
      CRC32C sum = new CRC32C();
      sum.update(line);
      return (int) sum.getValue();
    }

    void write(ByteBuffer to) {
      byte[] name = asin.getBytes(StandardCharsets.UTF_8);
      to.put(name).position(to.position() + ASIN - name.length);
      to.putLong(offset)
          .putInt(length)
          .putInt(checksum)
          .putDouble(minPrice)
          .putDouble(maxPrice)
          .put(kinds);
    }

    static Entry read(ByteBuffer entries, int index) {
      ByteBuffer from = entries.duplicate().position(index * BYTES);
      byte[] name = new byte[ASIN];
      from.get(name);
      int end = ASIN;
      while (end > 0 && name[end - 1] == 0) {
        end--;
      }
      return new Entry(
          new String(name, 0, end, StandardCharsets.UTF_8),
          from.getLong(),
          from.getInt(),
          from.getInt(),
          from.getDouble(),
          from.getDouble(),
          from.get());
    }
  }

  private StoredProducts(Path folder, About about) throws IOException {
    this.folder = folder;
    this.about = about;
    this.items = MappedFile.open(folder.resolve(ITEMS));
    MappedFile numbers = MappedFile.open(folder.resolve(ENTRIES));
    if (numbers.size() != (long) about.products() * Entry.BYTES) {
      throw new IOException(ENTRIES + " does not have the entries that " + ABOUT + " says");
    }
    byte[] content = numbers.read(0, Math.toIntExact(numbers.size()));
    if (!new ContentHash().add(new ByteArrayInputStream(content)).hex().equals(about.entries())) {
      throw new IOException(ENTRIES + " was changed: " + ADVICE);
    }
    this.entries = ByteBuffer.wrap(content);
    this.indices = new HashMap<>(2 * about.products());
    for (int i = 0; i < about.products(); i++) {
      indices.put(entry(i).asin(), i);
    }
  }

  /**
   * Opens an index, and makes it first where there is none.
   *
   * @throws InvalidInputException if it was made from other files
   */
  static StoredProducts open(Path folder, ProductFiles files) {
    String sources = sources(files);
    if (!Files.exists(folder.resolve(ABOUT))) {
      StoredProductsWriter.write(folder, files, sources);
    }
    StoredProducts stored = openFolder(folder);
    if (!stored.about.sources().equals(sources)) {
      throw new InvalidInputException(
          "the index in "
              + folder
              + " was made from other files, or with another numProducts: delete it, or name"
              + " another");
    }
    return stored;
  }

  private static StoredProducts openFolder(Path folder) {
    Path file = folder.resolve(ABOUT);
    try (InputStream in = Files.newInputStream(file)) {
      About about = SealedJson.read(file.toString(), in, About.class, VERSION, ADVICE);
      return new StoredProducts(folder, about);
    } catch (IOException e) {
      throw InvalidInputException.cannot("open the index of products in " + folder, e);
    }
  }

  /** Sizes, and pieces of the content: gigabytes are not read whole each time. */
  private static String sources(ProductFiles files) {
    ContentHash hash = new ContentHash().add(files.maxEntries());
    for (Path file : List.of(files.products(), files.attributes(), files.human())) {
      try (FileChannel channel = FileChannel.open(file)) {
        long size = channel.size();
        hash.add(size);
        for (int i = 0; i < SPOTS; i++) {
          ByteBuffer spot = ByteBuffer.allocate(SPOT_BYTES);
          long from = Math.max(0, size - SPOT_BYTES) / (SPOTS - 1) * i;
          while (spot.hasRemaining() && channel.read(spot, from + spot.position()) > 0) {
            // A read may bring less than was asked for.
          }
          hash.add(spot.array());
        }
      } catch (IOException e) {
        throw InvalidInputException.cannot("read " + file, e);
      }
    }
    return hash.hex();
  }

  private Entry entry(int index) {
    return Entry.read(entries, index);
  }

  @Override
  public int size() {
    return about.products();
  }

  @Override
  public Item get(int index) {
    synchronized (cache) {
      Item cached = cache.get(index);
      if (cached != null) {
        return cached;
      }
    }
    Item item = readItem(index);
    synchronized (cache) {
      cache.put(index, item);
    }
    return item;
  }

  private Item readItem(int index) {
    Entry entry = entry(index);
    try {
      byte[] line = items.read(entry.offset(), entry.length());
      if (Entry.checksum(line) != entry.checksum()) {
        throw new IOException("it was changed: " + ADVICE);
      }
      return Json.MAPPER.readValue(line, Item.class);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read product " + index + " in " + folder, e);
    }
  }

  @Override
  public int index(String asin) {
    return indices.getOrDefault(asin, -1);
  }

  @Override
  public double minPrice(int index) {
    return entry(index).minPrice();
  }

  @Override
  public double maxPrice(int index) {
    return entry(index).maxPrice();
  }

  @Override
  public List<Item> withInstruction() {
    return readAll(index -> (entry(index).kinds() & WITH_INSTRUCTION) != 0);
  }

  @Override
  public List<Item> withHumanInstruction() {
    return readAll(index -> (entry(index).kinds() & WITH_HUMAN_INSTRUCTION) != 0);
  }

  private List<Item> readAll(IntPredicate which) {
    List<Item> found = new ArrayList<>();
    IntStream.range(0, size()).filter(which).forEach(index -> found.add(readItem(index)));
    return found;
  }

  @Override
  public String fingerprint() {
    return about.fingerprint();
  }

  @Override
  public SearchIndex search() {
    return SearchIndex.open(ProductSearch.RANKING, folder.resolve(SEARCH));
  }

  /** What is serialized: the folder must be on the other machine too. */
  private record Place(String folder, String fingerprint) implements Serializable {
    private Object readResolve() {
      StoredProducts stored = openFolder(Path.of(folder));
      if (!stored.fingerprint().equals(fingerprint)) {
        throw new InvalidInputException(
            "the index in " + folder + " is another one on this machine");
      }
      return stored;
    }
  }

  private Object writeReplace() {
    return new Place(folder.toAbsolutePath().toString(), about.fingerprint());
  }

  private void readObject(java.io.ObjectInputStream in) throws java.io.InvalidObjectException {
    throw new java.io.InvalidObjectException("stored products travel as their path");
  }
}
