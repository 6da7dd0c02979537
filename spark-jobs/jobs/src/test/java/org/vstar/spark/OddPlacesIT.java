package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.SubmitCommand.Said;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.value.VStarJob;
import org.vstar.spark.warmstart.WarmStartJob;

/** Machines, folders and settings that are not as ours: commands do the same, or say why not. */
class OddPlacesIT {

  private static final Path PROJECT = SubmitCommand.PROJECT;
  private static final String KRYO = "org.apache.spark.serializer.KryoSerializer";

  private static final String BANDIT = PROJECT.resolve("conf/bandit.yaml").toString();

  @TempDir Path folder;

  private Said run(Path project, Map<String, String> environment, String command, String... more)
      throws Exception {
    ProcessBuilder process = SubmitCommand.process(project, folder, command, more);
    process.environment().putAll(environment);
    return SubmitCommand.said(process, folder);
  }

  private Said run(String command, String... more) throws Exception {
    return run(PROJECT, Map.of(), command, more);
  }

  private static void assertRefused(Said said, String... parts) {
    assertThat(said.code()).as(said.errors()).isEqualTo(2);
    assertThat(said.log()).as(said.errors()).hasSize(1);
    assertThat(said.errors()).startsWith("error: ").contains(parts);
  }

  /** What was built, beside copies of the scripts, in a folder of another name. */
  private Path checkout(String name) throws IOException {
    Path copy = Files.createDirectories(folder.resolve(name));
    List<Path> parts = new ArrayList<>(List.of(PROJECT.resolve("pom.xml")));
    for (String part :
        List.of("conf", "submit", "datasets/webshop-lite", "spark-jobs/target/run")) {
      try (Stream<Path> all = Files.walk(PROJECT.resolve(part))) {
        all.filter(Files::isRegularFile).forEach(parts::add);
      }
    }
    for (Path part : parts) {
      Path to = copy.resolve(PROJECT.relativize(part).toString());
      Files.createDirectories(to.getParent());
      if (part.toString().endsWith(".jar")) {
        Files.createLink(to, part);
      } else {
        Files.copy(part, to, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    return copy;
  }

  @Test
  void aCheckoutMayLieInAFolderOfAnyName() throws Exception {
    Said built = run("build");
    assertThat(built.code()).as(built.errors()).isZero();
    Path checkout = checkout("a folder \"my proj\" #1 50% é");
    Path out = folder.resolve("out, #2 %");
    TestRun measured = new TestRun(out, "environment.testTargets=400").withReference(1);
    String[] arguments = measured.arguments();
    arguments[1] = checkout.resolve("conf/webshop-lite.yaml").toString();
    Path empty = Files.createDirectories(folder.resolve("no settings"));
    Map<String, String> own = Map.of("SPARK_CONF_DIR", empty.toString());
    Said said = run(checkout, own, "vstar", arguments);
    assertThat(said.code()).as(said.errors()).isZero();
    for (Map<String, String> environment : List.of(own, Map.<String, String>of())) {
      Said answer =
          run(
              checkout,
              environment,
              "sql",
              "--out",
              out.toString(),
              "-e",
              "SELECT count(*) FROM tasks");
      assertThat(answer.output()).as(answer.errors()).isEqualTo("count(1)\n497\n");
    }
    for (String name : List.of("with:colon", "with, comma")) {
      assertRefused(run(checkout(name), Map.of(), "sql"), name + " has a colon or a comma");
    }
  }

  @Test
  void aJavaOfAnotherVersionIsNamedBeforeItIsUsed() throws Exception {
    Path jdk = Files.createDirectories(folder.resolve("jdk/bin")).getParent();
    Path java = Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\nexit 1\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    for (String command : List.of("vstar", "sql", "runs")) {
      Said said = run(PROJECT, Map.of("JAVA_HOME", jdk.toString()), command, "--root=" + folder);
      if (command.equals("vstar")) {
        said =
            run(
                PROJECT,
                Map.of("JAVA_HOME", jdk.toString()),
                command,
                "--config",
                PROJECT.resolve("conf/bandit.yaml").toString());
      }
      assertRefused(said, "java is version 25", jdk.toString(), "expected 17", "JAVA_HOME");
    }
  }

  @Test
  void aUserWithoutANameIsToldWhatHadoopNeeds() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root may become another");
    ProcessBuilder process = SubmitCommand.process(PROJECT, folder, "sql", "--root=/");
    process
        .command()
        .addAll(0, List.of("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"));
    process.environment().put("HOME", "/");
    assertRefused(SubmitCommand.said(process, folder), "user id 54321 has no name", "/etc/passwd");
  }

  @Test
  void tokenizersOpenWhereHomeCannotBeWrittenToAndTheTemporaryFolderIsAnothersToo()
      throws Exception {
    Path tokenizer = SubmitCommand.qwenTokenizer();
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    Files.writeString(temporary.resolve(".djl.ai"), "a file of somebody else's");
    Said said =
        run(
            PROJECT,
            Map.of("JAVA_TOOL_OPTIONS", "-Duser.home=/proc -Djava.io.tmpdir=" + temporary),
            "policy",
            "encode",
            "--tokenizer",
            tokenizer.toString(),
            "--text",
            "a");
    assertThat(said.code()).as(said.errors()).isZero();
    assertThat(said.output()).contains("ids");
  }

  @Test
  void aPortThatIsTakenAndAConfigThatTheClusterDoesNotSeeAreRefused() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = String.valueOf(taken.getLocalPort());
      assertRefused(
          run("thrift", "--root=" + folder, "--port", port), "--port " + port + " is taken");
    }
    for (String master : List.of("spark://127.0.0.1:1", "k8s://https://127.0.0.1:1")) {
      assertRefused(
          run("vstar", "--master", master, "--deploy-mode=cluster", "--config", BANDIT),
          "--config " + BANDIT + " is a file of this machine",
          "name its URI");
    }
    assertRefused(
        run(
            "vstar",
            "--master=yarn",
            "--deploy-mode=cluster",
            "--config",
            BANDIT,
            "--out=hdfs://a/b"),
        "--master is 'yarn'",
        "no YARN client");
  }

  private static void assertEnds(TestRun run, Class<?> job, String... more) throws Exception {
    assertThat(run.start(job, more).waitFor()).as(String.join("\n", run.log())).isZero();
  }

  @Test
  void jobsRunWhereTheClustersSerializerIsKryo() throws Exception {
    TestRun run =
        TestRun.on(
            folder.resolve("kryo").toString(),
            Map.of("spark.serializer", KRYO),
            folder.resolve("kryo"),
            "environment.testTargets=400",
            "vstar.samples=1",
            "evaluate.samplesPerTask=1");
    assertEnds(run, WarmStartJob.class);
    assertEnds(run, VStarJob.class);
    assertEnds(run, EvaluateJob.class, "--method", "reference");
  }

  @Test
  void theMachinesDigitsDoNotGetIntoNamesAndATablesFolderHasNothingButTheTable() throws Exception {
    Path out = folder.resolve("locale");
    String[] small = {"environment.testTargets=400", "vstar.tasksPerUnit=7"};
    TestRun arabic =
        TestRun.on(out.toString(), Map.of("user.language", "ar", "user.country", "EG"), out, small);
    arabic.withReference(1);
    assertEnds(arabic, VStarJob.class, "--samples", "2");
    assertEnds(new TestRun(out, small), VStarJob.class, "--samples", "3");
    SparkSession spark = TestRun.session("local[1]");
    try {
      assertThat(
              JobContext.tables(spark, arabic.folder())
                  .vstar()
                  .selectExpr("min(n)", "max(n)")
                  .first()
                  .mkString(" "))
          .isEqualTo("3 3");
    } finally {
      spark.stop();
    }
    try (Stream<Path> files = Files.walk(out)) {
      assertThat(files.map(file -> out.relativize(file).toString()))
          .allMatch(name -> name.chars().allMatch(c -> c < 128));
    }
    // For readers that know no manifests; PythonToolsIT has some.
    for (String table : List.of("samples", "vstar", "tasks")) {
      try (Stream<Path> files = Files.walk(out.resolve("tables/" + table))) {
        assertThat(files.filter(Files::isRegularFile).map(Path::toString))
            .isNotEmpty()
            .allMatch(name -> name.endsWith(".parquet"));
      }
    }
  }

  @Test
  void aRunMayBeCalledWithAColonAndForeignFoldersBesideItDoNotHideIt() throws Exception {
    Path runs = Files.createDirectories(folder.resolve("runs"));
    Files.createDirectories(runs.resolve("2026-01-01T10:00:00/tables/samples"));
    Path out = runs.resolve("run:1");
    TestRun run = new TestRun(out, "environment.testTargets=400").withReference(1);
    assertEnds(run, VStarJob.class);
    new TestRun(runs.resolve("other")).withReference(1);
    Said said = run("sql", "--out", out.toString(), "-e", "SELECT count(*) AS n FROM vstar");
    assertThat(said.output()).as(said.errors()).isEqualTo("n\n47\n");
    Said root =
        run("sql", "--root", runs.toString(), "-e", "SELECT count(*) AS n FROM runs.`run:1`.vstar");
    assertThat(root.output()).as(root.errors()).isEqualTo("n\n47\n");
    Said listed = run("runs", "--root", runs.toString());
    assertThat(listed.output()).as(listed.errors()).contains("run:1", "other");
  }
}
