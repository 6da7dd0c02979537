package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.SubmitCommand.Said;

/** {@code submit/search}: settings tried one after another. */
class SearchIT {

  @TempDir private Path folder;

  private Said search(String trials, String... options) throws Exception {
    Path file = folder.resolve("trials.txt");
    Path config = SubmitCommand.PROJECT.resolve("conf/bandit.yaml");
    Files.writeString(folder.resolve("bandit.yaml"), "include: " + config + "\n");
    Files.writeString(
        file, "# of the bandit\nconfig bandit.yaml\nstages warm-start evaluate\n" + trials);
    List<String> line = new ArrayList<>(List.of(file.toString(), "--out", "out"));
    line.addAll(List.of(options));
    return SubmitCommand.said(
        SubmitCommand.process(SubmitCommand.PROJECT, folder, "search", line.toArray(String[]::new)),
        folder);
  }

  @Test
  void trialsArePlayedOnceAndComparedInOneTable() throws Exception {
    String first = "long warmStart.rounds=1\n";
    Said one = search(first);
    assertThat(one.code()).as(one.errors()).isZero();
    assertThat(one.output()).contains("| long | `warmStart.rounds=1` | reference | ");
    assertThat(one.errors()).contains("long: warm-start", "long: evaluate");

    Said two = search(first + "cold policy=long sampling.temperature=0.5  # sharper\n");
    assertThat(two.code()).as(two.errors()).isZero();
    assertThat(two.errors()).contains("cold: evaluate").doesNotContain("long:", "warm-start");
    List<String> table = Files.readAllLines(folder.resolve("out/search.md"));
    assertThat(table).hasSize(2 + 4).anyMatch(row -> row.startsWith("| cold | `policy=long sam"));

    // The last line needs no end; what was tried once is not tried again under other settings.
    assertRefused(search("long warmStart.rounds=2"), "bandit.yaml warmStart.rounds=1' before");
    assertRefused(search(first, "--set", "seed=8"), "bandit.yaml warmStart.rounds=1' before");
  }

  @Test
  void whatCannotBeTriedIsToldInOneLine() throws Exception {
    assertRefused(search("a warmStart.rounds\n"), "'warmStart.rounds' is not KEY=VALUE");
    assertRefused(search("b stages=warmstart\n"), "there is no stage 'warmstart'");
    assertRefused(search("c policy=none\n"), "out/none/reference is not there");
    assertRefused(search("d warmStart.ruonds=1\n"), "warm-start of trial d failed");
    assertRefused(search("../e x=1\n"), "trial '../e'");
    assertRefused(search("f\n", "--foo"), "unknown option '--foo'");
    assertRefused(search(""), "has no trial");
    assertRefused(search("g stages=evaluate\n", "--only", "h"), "--only h: ");
  }

  private static void assertRefused(Said said, String expected) throws IOException {
    assertThat(said.code()).as(said.output()).isEqualTo(2);
    assertThat(said.errors().lines().filter(l -> l.startsWith("error: ")))
        .as(said.errors())
        .anyMatch(line -> line.contains(expected));
  }
}
