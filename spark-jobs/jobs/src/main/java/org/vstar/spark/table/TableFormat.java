package org.vstar.spark.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import org.vstar.common.FormatVersion;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.spark.store.Store;

/**
 * The format of a run's tables, which stands in a file beside them.
 *
 * @param store the run's
 */
record TableFormat(Store store) {

  /** Raised when older tables can no longer be read. 1 had no format file. */
  private static final int VERSION = 4;

  /** The folder of all tables. */
  static final String FOLDER = "tables";

  private static final String FILE = FOLDER + "/format.json";
  private static final String ADVICE =
      "run submit/vstar into another --out, or use the Vstar that wrote them";

  private record Format(int version) {}

  /** Whether there are tables, and of this format. */
  boolean isCurrent() throws IOException {
    return store.exists(FILE) && version() == VERSION;
  }

  /**
   * Refuses tables of another format; where there are none, all is well.
   *
   * @throws InvalidInputException saying who wrote them
   */
  void require() {
    try {
      FormatVersion.require("the tables in " + store.location(FOLDER), version(), VERSION, ADVICE);
    } catch (IOException e) {
      throw InvalidInputException.cannot("read " + store.location(FILE), e);
    }
  }

  private int version() throws IOException {
    if (!store.exists(FILE)) {
      boolean tables =
          store.list(FOLDER + "/").stream().anyMatch(name -> name.endsWith(".parquet"));
      return tables ? 1 : VERSION;
    }
    String where = store.location(FILE);
    try (InputStream in = store.read(FILE)) {
      JsonNode found = Json.read(where, in, JsonNode.class).path("version");
      if (!found.isInt()) {
        throw new InvalidInputException(
            where + ": expected {\"version\": " + VERSION + "}: " + ADVICE);
      }
      return found.asInt();
    }
  }

  void write() {
    try {
      byte[] json = Json.MAPPER.writeValueAsBytes(new Format(VERSION));
      store.publish(FILE, out -> out.write(json));
    } catch (IOException e) {
      throw InvalidInputException.cannot("write " + store.location(FILE), e);
    }
  }
}
