package org.vstar.spark.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTest {

  private static final Path PROJECT = Path.of("../..");

  @TempDir Path folder;

  @Test
  void everyLinkOfEveryPageLeadsSomewhere() throws IOException {
    assertThat(new Site(PROJECT).brokenLinks()).isEmpty();
  }

  /** A project of two pages. */
  private Site site(String readme, String page) throws IOException {
    for (String place : List.of("env", "model", "spark-jobs")) {
      Files.createDirectories(folder.resolve(place + "/src/site/markdown"));
    }
    for (String place : List.of("datasets", "notebooks")) {
      Files.createDirectories(folder.resolve(place));
    }
    Files.writeString(folder.resolve("README.md"), readme);
    Files.writeString(folder.resolve("CONTRIBUTING.md"), "# Contributing\n");
    Files.writeString(folder.resolve("CHANGELOG.md"), "# Changelog\n");
    Files.writeString(folder.resolve("model/src/site/markdown/losses.md"), page);
    return new Site(folder);
  }

  @Test
  void linksToMissingFilesAndHeadingsAreNamed() throws IOException {
    Site site =
        site(
            "# V\n[a](model/src/site/markdown/loses.md) [b](model/src/site/markdown/losses.md#the-los)"
                + " [c](#v) [d](https://example.org/x.md) `[e](none.md)`\n",
            "# Losses\n## The loss, `L`\n[back](../../../../README.md#v) [self](#the-loss-l)\n");
    assertThat(site.brokenLinks())
        .containsExactly(
            "README.md: model/src/site/markdown/loses.md leads to no file",
            "README.md: model/src/site/markdown/losses.md#the-los leads to no heading");
  }

  @Test
  void pagesLinkToPagesAndHaveWhatTheyLinkToBesideThem() throws IOException {
    Files.createDirectories(folder.resolve("conf"));
    Files.writeString(folder.resolve("conf/a.yaml"), "name: a\n");
    Path out = folder.resolve("out");
    site(
            "# Start\n[losses](model/src/site/markdown/losses.md#the-loss) [a](conf/a.yaml)\n",
            "# Losses & gains\n## The loss\n[back](../../../../README.md)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
        .write(out);
    assertThat(out.resolve("index.html"))
        .content()
        .contains("<a href=\"model/src/site/markdown/losses.html#the-loss\">losses</a>")
        .contains("<a href=\"conf/a.yaml\">a</a>")
        .contains("<title>Start – Vstar</title>")
        .contains("<a href=\"model/src/site/markdown/losses.html\">Losses &amp; gains</a>");
    assertThat(out.resolve("conf/a.yaml")).hasContent("name: a");
    assertThat(out.resolve("model/src/site/markdown/losses.html"))
        .content()
        .contains("<a href=\"../../../../index.html\">back</a>")
        .contains("<h2 id=\"the-loss\">The loss</h2>")
        .contains("<td>2</td>")
        .contains("href=\"../../../../site.css\"");
  }
}
