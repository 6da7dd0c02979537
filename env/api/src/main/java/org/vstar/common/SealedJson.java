package org.vstar.common;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;

/**
 * A JSON object that carries a content hash of its other values, so that one changed digit does not
 * pass for a setting.
 */
public final class SealedJson {

  private static final String SEAL = "contentHash";

  private SealedJson() {}

  /** A record as JSON with its hash. */
  public static byte[] write(Record value) throws IOException {
    ObjectNode tree = Json.MAPPER.valueToTree(value);
    tree.put(SEAL, hash(tree));
    return Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(tree);
  }

  /** Of the text that has no white space; what was written and what was read back have the same. */
  private static String hash(ObjectNode tree) throws IOException {
    return new ContentHash()
        .add(Json.MAPPER.writeValueAsString(Json.MAPPER.readTree(tree.toString())))
        .hex();
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @param where what is read, for messages
   * @param format the format's version, which stands under {@code version}
   * @param advice what to do about a file of another version, or a damaged one
   * @throws InvalidInputException if it was changed, cut short, or written in another format
   */
  public static <T extends Record> T read(
      String where, InputStream in, Class<T> type, int format, String advice) throws IOException {
    try {
      if (!(Json.read(where, in, JsonNode.class) instanceof ObjectNode tree)) {
        throw new InvalidInputException(where + ": expected a JSON object");
      }
      FormatVersion.require(where, tree.path("version").asInt(1), format, advice);
      JsonNode seal = tree.remove(SEAL);
      if (seal == null || !seal.asText().equals(hash(tree))) {
        throw new InvalidInputException(where + " was changed or damaged since it was written");
      }
      return Json.convert(where, tree, type);
    } catch (InvalidInputException e) {
      boolean advised = e.getMessage().endsWith(advice);
      throw advised ? e : new InvalidInputException(e.getMessage() + ": " + advice, e);
    }
  }
}
