package org.vstar.env.webshop.catalog;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.vstar.common.AtomicFiles;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.SealedJson;
import org.vstar.env.shopping.SearchIndex;

/** Makes the folder that {@link StoredProducts} opens, in one pass over the files. */
final class StoredProductsWriter implements AutoCloseable {

  private static final int BAR = 30;

  private final OutputStream items;
  private final OutputStream entries;
  private final SearchIndex.Writer search;
  private final ContentHash fingerprint = new ContentHash();
  private final ContentHash entriesHash = new ContentHash();
  private long offset;
  private int products;

  private StoredProductsWriter(Path folder) throws IOException {
    items = new BufferedOutputStream(Files.newOutputStream(folder.resolve(StoredProducts.ITEMS)));
    entries =
        new BufferedOutputStream(
            entriesHash.through(Files.newOutputStream(folder.resolve(StoredProducts.ENTRIES))));
    search = new SearchIndex.Writer(ProductSearch.RANKING, folder.resolve(StoredProducts.SEARCH));
  }

  /**
   * Writes an index. Of several that do so at the same time the first is kept.
   *
   * @throws InvalidInputException if the folder is there already, or cannot be written
   */
  static void write(Path folder, ProductFiles files, String sources) {
    if (Files.exists(folder)) {
      throw new InvalidInputException(
          folder + " is there and is no index of products: delete it, or name another");
    }
    try {
      AtomicFiles.createFolder(
          folder,
          partial ->
              Files.write(
                  partial.resolve(StoredProducts.ABOUT),
                  SealedJson.write(writeAll(partial, files, sources))));
    } catch (IOException e) {
      throw InvalidInputException.cannot("write an index of the products into " + folder, e);
    }
  }

  private static StoredProducts.About writeAll(Path partial, ProductFiles files, String sources)
      throws IOException {
    try (StoredProductsWriter writer = new StoredProductsWriter(partial)) {
      Bar bar = new Bar(Files.size(files.products()));
      files.read(
          (item, bytes) -> {
            writer.add(item);
            bar.at(bytes, writer.products);
          });
      writer.search.finish();
      bar.done(writer.products);
      writer.entries.flush();
      return new StoredProducts.About(
          StoredProducts.VERSION,
          sources,
          writer.products,
          writer.fingerprint.hex(),
          writer.entriesHash.hex());
    }
  }

  private void add(Item item) {
    try {
      byte[] line = Json.MAPPER.writeValueAsBytes(item);
      items.write(line);
      items.write('\n');
      ByteBuffer entry = ByteBuffer.allocate(StoredProducts.Entry.BYTES);
      StoredProducts.Entry.of(item, offset, line).write(entry);
      entries.write(entry.array());
      search.add(ProductSearch.document(item));
      fingerprint.add(item.canonical().text());
      offset += line.length + 1;
      products++;
    } catch (IOException e) {
      throw InvalidInputException.cannot("write an index of the products", e);
    }
  }

  @Override
  public void close() throws IOException {
    try (items;
        entries) {
      search.close();
    }
  }

  /** Shows how far it is: a bar where a person looks on, else a line now and then. */
  private static final class Bar {
    private final boolean person = System.console() != null;
    private final long start = System.nanoTime();
    private final long bytes;
    private int shown = -1;

    Bar(long bytes) {
      this.bytes = Math.max(1, bytes);
    }

    void at(long read, int products) {
      int percent = (int) Math.min(100, 100 * read / bytes);
      if (percent == shown || (!person && percent / 10 == shown / 10)) {
        return;
      }
      shown = percent;
      double seconds = (System.nanoTime() - start) / 1e9;
      String text =
          String.format(
              Locale.ROOT,
              "indexing products %3d %%, %,d so far, %.0f s left",
              percent,
              products,
              percent == 0 ? 0 : seconds * (100 - percent) / percent);
      if (person) {
        int full = percent * BAR / 100;
        System.err.print("\r[" + "#".repeat(full) + " ".repeat(BAR - full) + "] " + text + "   ");
      } else {
        System.err.println(text);
      }
    }

    void done(int products) {
      System.err.printf(
          Locale.ROOT,
          "%s%,d products indexed in %.0f s%n",
          person ? "\n" : "",
          products,
          (System.nanoTime() - start) / 1e9);
    }
  }
}
