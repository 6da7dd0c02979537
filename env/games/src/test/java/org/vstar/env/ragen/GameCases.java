package org.vstar.env.ragen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * Recorded games: those beside the checkout, in {@code shared/games}, or in the folder that {@code
 * -Dgames.data=DIR} says. Without the former the tests are skipped; a folder that is named has to
 * be there.
 */
public final class GameCases {

  private static final Path BESIDE = Path.of("../../../shared/games");

  private GameCases() {}

  /** One of the files. */
  public static JsonNode file(String name) {
    String named = System.getProperty("games.data");
    Path file = (named == null ? BESIDE : Path.of(named)).resolve(name);
    if (named == null) {
      Assumptions.assumeTrue(Files.exists(file), "there is no " + file);
    }
    try {
      return new ObjectMapper().readTree(Files.newBufferedReader(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The cases of a list, at least one. */
  public static List<JsonNode> cases(JsonNode file, String list) {
    List<JsonNode> cases = new ArrayList<>();
    file.required(list).forEach(cases::add);
    assertThat(cases).isNotEmpty();
    return cases;
  }

  /** A list of texts, numbers or truth values as texts. */
  public static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(each -> texts.add(each.asText()));
    return texts;
  }

  /** The seeds of a split, and the keys of the seeds at its base, as recorded. */
  public static void requireSplits(World world, JsonNode splits) {
    for (JsonNode seed : splits.required("seeds")) {
      Board board = world.board(seed.get(0).asLong()).orElseThrow();
      assertThat(board.key()).isEqualTo(seed.get(1).asText());
      assertThat(board.split().word()).isEqualTo(seed.get(2).asText());
    }
    int count = splits.required("train").size();
    SeedConfig config = new SeedConfig(splits.required("base").asLong(), count, count, count);
    SeededTasks.of(world, config)
        .seeds()
        .forEach(
            (split, found) ->
                assertThat(found.stream().map(each -> Long.toString(each.seed())).toList())
                    .isEqualTo(texts(splits.required(split.word()))));
  }
}
