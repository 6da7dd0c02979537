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

  private static final System.Logger LOG = System.getLogger(StoredProductsWriter.class.getName());

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
      Progress progress = new Progress(Files.size(files.products()));
      files.read(
          (item, bytes) -> {
            writer.add(item);
            progress.at(bytes, writer.products);
          });
      writer.search.finish();
      progress.done(writer.products);
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

  /** Logs how far it is, a line for each tenth. */
  private static final class Progress {
    private final long start = System.nanoTime();
    private final long bytes;
    private int tenths;

    Progress(long bytes) {
      this.bytes = Math.max(1, bytes);
    }

    void at(long read, int products) {
      int now = (int) Math.min(10, 10 * read / bytes);
      if (now > tenths) {
        tenths = now;
        log("indexing products %3d %%, %,d so far, %.0f s", 10 * now, products, seconds());
      }
    }

    void done(int products) {
      log("%,d products indexed in %.0f s", products, seconds());
    }

    private double seconds() {
      return (System.nanoTime() - start) / 1e9;
    }

    private static void log(String format, Object... values) {
      LOG.log(System.Logger.Level.INFO, String.format(Locale.ROOT, format, values));
    }
  }
}
