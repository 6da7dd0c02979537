package org.vstar.env.webshop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
import org.vstar.common.Json;
import org.vstar.env.python.PythonRandom;
import org.vstar.env.webshop.catalog.ProductFiles;
import org.vstar.env.webshop.catalog.WebShopData;
import org.vstar.env.webshop.goal.Goal;
import org.vstar.env.webshop.goal.Goals;
import org.vstar.env.webshop.reward.NounTagger;
import org.vstar.env.webshop.simulator.WebShop;

/** The recorded cases of the original, where they are at hand. */
public final class Recorded {

  public static final long SEED = 233;
  private static final Path NAMED = named(System.getProperty("webshop.data"));
  private static final Path DEFAULT = Path.of("../../../shared/webshop");

  private Recorded() {}

  /** Maven runs tests in the module's folder; a relative path is also looked for in its parent. */
  private static Path named(String folder) {
    if (folder == null) {
      return null;
    }
    Path path = Path.of(folder);
    Path named = Files.isDirectory(path) ? path : Path.of("..").resolve(path);
    assertThat(named).as("-Dwebshop.data=" + folder).isDirectory();
    return named;
  }

  /**
   * A file of the cases: of the folder that was named, else of the default one. Without either the
   * test is skipped, unless a folder was named.
   */
  public static Path file(String name) {
    if (NAMED != null && Files.exists(NAMED.resolve(name))) {
      return NAMED.resolve(name);
    }
    Path file = DEFAULT.resolve(name);
    if (NAMED != null && Files.exists(file)) {
      System.out.println("no " + name + " in " + NAMED + ": taken from " + DEFAULT);
    }
    if (!Files.exists(file)) {
      String missing =
          "no " + name + " in " + (NAMED == null ? DEFAULT.toAbsolutePath().normalize() : NAMED);
      assertThat(NAMED).as(missing).isNull();
      String skipped =
          "skipped: "
              + missing
              + "; name a folder of cases with -Dwebshop.data=DIR (datasets/README.md)";
      System.out.println(skipped);
      Assumptions.abort(skipped);
    }
    return file;
  }

  public static JsonNode json(String name) {
    return ProductFiles.tree(file(name));
  }

  public static List<JsonNode> lines(String name) {
    List<JsonNode> lines = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file(name))), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(Json.MAPPER.readTree(line));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }

  /** A shop and its goals in the order that the original's seed gives. */
  public record Opened(WebShop shop, List<Goal> goals) {

    public static Opened of(long seed) {
      PythonRandom random = new PythonRandom(seed);
      WebShopData data = data(random);
      NounTagger tagger = NounTagger.table(file("nouns_nlp4j.json"));
      return new Opened(new WebShop(data, tagger, false), Recorded.goals(data, random, seed));
    }
  }

  /** The products; the random numbers go on to the goals. */
  public static WebShopData data(PythonRandom random) {
    return WebShopData.read(
        new ProductFiles(
            file("items_shuffle_1000.json"),
            file("items_ins_v2_1000.json"),
            file("items_human_ins.json")),
        random);
  }

  /** The goals in the order that the original's seed gives. */
  public static List<Goal> goals(WebShopData data, PythonRandom random, long seed) {
    List<Goal> goals = new ArrayList<>(Goals.synthetic(data, random));
    new PythonRandom(seed).shuffle(goals);
    return goals;
  }
}
