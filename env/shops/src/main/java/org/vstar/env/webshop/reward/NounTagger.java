package org.vstar.env.webshop.reward;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.env.webshop.catalog.ProductFiles;

/** Finds the nouns of a product's title; the type part of the reward compares them. */
public interface NounTagger extends Serializable {

  /** What tells its results from another tagger's. */
  String fingerprint();

  /** The nouns of a title, lower case, in order; they may repeat. */
  List<String> nouns(String title);

  /**
   * A tagger that looks titles up in a file, for exact reproduction of recorded rewards.
   *
   * @throws InvalidInputException when asked for a title that the file does not have
   */
  static NounTagger table(Path file) {
    Map<String, List<String>> table = new HashMap<>();
    JsonNode tree = ProductFiles.tree(file);
    tree.properties()
        .forEach(
            entry -> {
              List<String> nouns = new ArrayList<>();
              entry.getValue().forEach(noun -> nouns.add(noun.asText()));
              table.put(entry.getKey(), List.copyOf(nouns));
            });
    return new Table(file.toString(), table);
  }

  /** See {@link #table}. */
  record Table(String file, Map<String, List<String>> nouns) implements NounTagger {

    @Override
    public String fingerprint() {
      return CanonicalJson.of("noun table", 1).with("nouns", nouns).fingerprint();
    }

    @Override
    public List<String> nouns(String title) {
      List<String> found = nouns.get(title);
      if (found == null) {
        throw new InvalidInputException(file + " has no nouns for the title '" + title + "'");
      }
      return found;
    }
  }
}
