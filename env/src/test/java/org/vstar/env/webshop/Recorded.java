package org.vstar.env.webshop;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Assumptions;

/** The recorded cases of the original, where they are at hand. */
final class Recorded {

  static final long SEED = 233;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path FOLDER =
      Path.of(System.getProperty("webshop.data", "../../shared/webshop"));

  private Recorded() {}

  /** A file of the cases; the test is skipped where there is none. */
  static Path file(String name) {
    Path file = FOLDER.resolve(name);
    if (!Files.exists(file)) {
      String skipped =
          "skipped: no WebShop cases in "
              + FOLDER.toAbsolutePath().normalize()
              + "; name their folder with -Dwebshop.data=DIR";
      System.out.println(skipped);
      Assumptions.abort(skipped);
    }
    return file;
  }

  static JsonNode json(String name) {
    return ProductFiles.tree(file(name));
  }

  static List<JsonNode> lines(String name) {
    List<JsonNode> lines = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file(name))), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(JSON.readTree(line));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }

  /** The products with seed 233; the random numbers go on to the goals. */
  static WebShopData data(PythonRandom random) {
    return WebShopData.read(
        file("items_shuffle_1000.json"),
        file("items_ins_v2_1000.json"),
        file("items_human_ins.json"),
        random);
  }

  /** The goals in the order that the original's seed gives. */
  static List<Goal> goals(WebShopData data, PythonRandom random) {
    List<Goal> goals = new ArrayList<>(Goals.synthetic(data, random));
    new PythonRandom(SEED).shuffle(goals);
    return goals;
  }
}
