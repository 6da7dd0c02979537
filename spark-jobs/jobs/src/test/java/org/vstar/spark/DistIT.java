package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.SubmitCommand.Said;

/** What {@code submit/dist} packs, unpacked elsewhere and used as a user does. */
class DistIT {

  private static final Path PROJECT = SubmitCommand.PROJECT;

  @TempDir Path folder;

  /** A Spark of the user's: the jars that the build lays out, and Spark's own way to start. */
  private Path spark() throws IOException {
    Path home = folder.resolve("spark");
    Files.createDirectories(home.resolve("bin"));
    Files.createDirectories(home.resolve("conf"));
    Files.createSymbolicLink(
        home.resolve("jars"), PROJECT.resolve("spark-jobs/jobs/target/spark/jars"));
    Path submit =
        Files.writeString(
            home.resolve("bin/spark-submit"),
            """
            #!/usr/bin/env bash
            # As bin/spark-class of Spark does it.
            command=()
            {
              read -r
              while IFS= read -r -d '' part; do command+=("$part"); done
            } < <(java -cp "$SPARK_HOME/jars/*" org.apache.spark.launcher.Main org.apache.spark.deploy.SparkSubmit "$@")
            exec "${command[@]}"
            """);
    assertThat(submit.toFile().setExecutable(true)).isTrue();
    return home;
  }

  private Said run(Path project, Path spark, String command, String... arguments) throws Exception {
    ProcessBuilder process = SubmitCommand.process(project, folder, command, arguments);
    process.environment().put("SPARK_SCALA_VERSION", "2.12");
    if (spark != null) {
      process.environment().put("SPARK_HOME", spark.toString());
    }
    return SubmitCommand.said(process, folder);
  }

  @Test
  void anUnpackedDistributionRunsTheQuickstartWithoutMavenAndWithoutTheCheckout() throws Exception {
    Path archive = folder.resolve("vstar.tar.gz");
    Said packed = run(PROJECT, null, "dist", "--add-ons", "dl4j", "--out", archive.toString());
    assertThat(packed.output()).as(packed.errors()).isEqualTo(archive + "\n");
    assertThat(
            new ProcessBuilder("tar", "-xzf", archive.toString())
                .directory(folder.toFile())
                .start()
                .waitFor())
        .isZero();
    Path unpacked;
    try (Stream<Path> all = Files.list(folder)) {
      unpacked = all.filter(path -> path.toString().contains("/vstar-")).findFirst().orElseThrow();
    }
    assertThat(unpacked.resolve("LICENSE")).exists();
    assertThat(run(unpacked, null, "vstar", "--version").output())
        .isEqualTo("Vstar " + unpacked.getFileName().toString().substring(6) + "\n");
    Said homeless = run(unpacked, null, "runs");
    assertThat(homeless.code()).isEqualTo(2);
    assertThat(homeless.log()).hasSize(1).first().asString().contains("SPARK_HOME is not set");

    Path spark = spark();
    String config = unpacked.resolve("conf/bandit.yaml").toString();
    List<String> small = new ArrayList<>(List.of("--config", config, "--out", "run"));
    for (String setting :
        List.of(
            "warmStart.rounds=1",
            "warmStart.batchesPerRound=2",
            "environment.tasks=16",
            "vstar.samples=2",
            "train.steps=2",
            "train.evaluateTasks=4")) {
      small.addAll(List.of("--set", setting));
    }
    Said said = run(unpacked, spark, "quickstart", small.toArray(String[]::new));
    assertThat(said.code()).as(said.errors()).isZero();
    assertThat(folder.resolve("run/evaluation-final/report.html")).exists();
    Said listed = run(unpacked, spark, "runs", "--root", ".");
    assertThat(listed.output()).as(listed.errors()).containsPattern("run +bandit .* 16 +32 ");
    Said lacking = run(unpacked, spark, "vstar", "--config", config, "--add-ons", "libtorch");
    assertThat(lacking.errors()).contains("no add-on 'libtorch', there are: [dl4j]");
  }
}
