package org.vstar.spark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.Json;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.EpisodeRow;

class CompareTest {

  @TempDir private Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  private int compare(String... arguments) {
    return JobContext.run(
        new Compare(new PrintStream(out, true, StandardCharsets.UTF_8)),
        new PrintStream(errors, true, StandardCharsets.UTF_8),
        arguments);
  }

  /** A run whose policy buys right on so many of 10 tasks, and its reference on two. */
  private String run(String name, int right) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int task = 0; task < 10; task++) {
      lines.append(line("reference", task, task < 2)).append('\n');
      lines.append(line("A*-PO regression", task, task < right)).append('\n');
    }
    Path evaluation = Files.createDirectories(folder.resolve(name + "/evaluation-final"));
    Files.writeString(evaluation.resolve("episodes.jsonl"), lines);
    return folder.resolve(name).toString();
  }

  private static String line(String method, int task, boolean success) {
    return new EpisodeRow(
            method,
            DecodingMode.GREEDY,
            "t" + task,
            "shoes",
            "p" + task,
            0,
            success,
            success ? 1.1 : 0.1,
            5,
            success ? null : "wrong type",
            Map.of("score", 0.5),
            "e",
            "r",
            List.of(),
            40,
            null)
        .line();
  }

  @Test
  void seedsStandSideBySideWithTheirMeanAndTheGainOverTheReference() throws IOException {
    assertThat(compare("--final", run("one", 6), run("two", 8))).isZero();
    List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(lines)
        .anyMatch(
            l -> l.matches("reference greedy +20\\.0 % .* 0\\.300 +5\\.00 +40 +20 +20\\.0 20\\.0"))
        .anyMatch(l -> l.matches("A\\*-PO regression greedy +70\\.0 % .* 20 +60\\.0 80\\.0"))
        .anyMatch(l -> l.matches("A\\*-PO regression greedy +0\\.500"))
        .anyMatch(
            l ->
                l.startsWith("A*-PO regression, greedy: +50.0 points of success against reference")
                    && l.endsWith("each run +40.0 +60.0."));
  }

  @Test
  void policiesWithoutAReferenceAreShownWithoutDifferences() throws IOException {
    Path alone = Path.of(run("one", 6), "evaluation-final", "episodes.jsonl");
    Files.write(
        alone, Files.readAllLines(alone).stream().filter(l -> !l.contains("reference")).toList());
    assertThat(compare("--final", folder.resolve("one").toString())).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("A*-PO regression greedy")
        .doesNotContain("against");
  }

  @Test
  void episodesThatArePackedForPublishingGiveTheSameTable() throws IOException {
    String one = run("one", 6);
    assertThat(compare("--final", one)).isZero();
    String plain = out.toString(StandardCharsets.UTF_8);
    out.reset();
    Path episodes = Path.of(one, "evaluation-final", "episodes.jsonl");
    Path packed = episodes.resolveSibling("episodes.jsonl.gz");
    try (OutputStream zip = new GZIPOutputStream(Files.newOutputStream(packed))) {
      Files.copy(episodes, zip);
    }
    Files.delete(episodes);
    assertThat(compare("--final", one)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(plain);
  }

  @Test
  void theTestFiguresOfTheWebShopPageAreThoseOfThePublishedEpisodes() throws IOException {
    String seeds = Path.of("../../datasets/results/webshop-1k").toAbsolutePath() + "/seed-";
    assertThat(compare("--final", "--json", seeds + 1, seeds + 2, seeds + 3)).isZero();
    String page = Files.readString(Path.of("../../env/src/site/markdown/webshop-results.md"));
    int policies = 0;
    for (JsonNode method : Json.MAPPER.readTree(out.toByteArray()).path("methods")) {
      String name = method.at("/all/method").asText();
      if (name.equals("reference") || name.startsWith("A*-PO")) {
        policies++;
        JsonNode success = method.path("success");
        assertThat(page)
            .contains(
                String.format(
                    Locale.ROOT,
                    "| %s, %s | %.1f %% (%.1f – %.1f) | %.1f %.1f %.1f |",
                    name.replace("*", "\\*"),
                    method.at("/all/mode").asText(),
                    100 * success.path("mean").asDouble(),
                    100 * success.at("/interval/low").asDouble(),
                    100 * success.at("/interval/high").asDouble(),
                    100 * success.path("each_run").path(seeds + 1).asDouble(),
                    100 * success.path("each_run").path(seeds + 2).asDouble(),
                    100 * success.path("each_run").path(seeds + 3).asDouble()));
      }
    }
    assertThat(policies).isEqualTo(6);
    double room = 0;
    double gain = 0;
    for (JsonNode taken :
        Json.MAPPER.readTree(out.toByteArray()).at("/headroom/A*-PO regression")) {
      room += 100 * (taken.path("pass_at_k").asDouble() - taken.path("reference").asDouble()) / 3;
      gain += 100 * (taken.path("success").asDouble() - taken.path("reference").asDouble()) / 3;
    }
    assertThat(page.replace('\n', ' '))
        .contains(
            String.format(
                Locale.ROOT,
                "Training can add %.1f points by raising the probability of successes that the"
                    + " reference already samples; A\\*-PO gains %.1f of them (%.0f %%;",
                room,
                gain,
                100 * gain / room));
  }

  @Test
  void programsGetJson() throws IOException {
    String one = run("one", 6);
    assertThat(compare("--final", "--json", one)).isZero();
    var tree = Json.MAPPER.readTree(out.toString(StandardCharsets.UTF_8));
    assertThat(tree.at("/methods/1/success/mean").asDouble()).isEqualTo(0.6);
    assertThat(tree.at("/methods/1/success/each_run").get(one).asDouble()).isEqualTo(0.6);
    assertThat(tree.at("/methods/1/all/method").asText()).isEqualTo("A*-PO regression");
    assertThat(tree.at("/differences/0/against").asText()).isEqualTo("reference");
  }

  @Test
  void aRunThatWasNotEvaluatedIsNamedWithWhatToDo() throws IOException {
    String one = run("one", 6);
    assertThat(compare(one)).isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .contains("run submit/evaluate with --out " + one + " first")
        .hasLineCount(1);
    assertThat(compare("--final", one, one)).isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8)).contains(one + " is there twice");
    assertThat(out.size()).isZero();
  }
}
