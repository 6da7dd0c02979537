package org.vstar.spark.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.ErrorLine;
import picocli.CommandLine.ParameterException;

class LauncherTest {

  private static final Path PROJECT = Path.of("../..").toAbsolutePath().normalize();
  private static final String BANDIT = PROJECT.resolve("conf/bandit.yaml").toString();
  private static final String PRETRAINED =
      PROJECT.resolve("conf/webshop-lite-smollm2.yaml").toString();

  @TempDir Path folder;

  private Path jars;
  private Map<String, String> environment;

  /** Jars of this project, and of the add-ons libtorch and dl4j. */
  @BeforeEach
  void layOut() throws IOException {
    jars = folder.resolve("jars, all");
    for (String jar :
        List.of(
            "vstar-spark-jobs.jar",
            "spark/jars/spark-yarn_2.12-1.jar",
            "lib/vstar-model-1.jar",
            "lib/foreign-1.jar",
            "libtorch/vstar-libtorch-1.jar",
            "libtorch/pytorch-1.jar",
            "dl4j/vstar-dl4j-1.jar",
            "dl4j/nd4j-1.jar")) {
      Files.createDirectories(jars.resolve(jar).getParent());
      Files.createFile(jars.resolve(jar));
    }
    environment =
        new HashMap<>(
            Map.of(
                "VSTAR_PROJECT", PROJECT.toString(),
                "VSTAR_LAYOUT", jars.toString(),
                "VSTAR_JAVA_OPTIONS", "--add-modules=a"));
  }

  private Plan plan(String... words) {
    return new Launcher(Installation.of(environment)).plan(List.of(words));
  }

  private List<String> command(String... words) {
    assertThat(plan(words)).isInstanceOf(Plan.Run.class);
    return ((Plan.Run) plan(words)).command();
  }

  private static String after(List<String> command, String option) {
    assertThat(command).contains(option);
    return command.get(command.indexOf(option) + 1);
  }

  private String uri(String jar) {
    return Installation.uri(jars.resolve(jar));
  }

  private String refused(String... words) {
    try {
      plan(words);
    } catch (ParameterException e) {
      return ErrorLine.misunderstood(e).text();
    } catch (InvalidInputException e) {
      return e.getMessage();
    }
    throw new AssertionError("not refused: " + List.of(words));
  }

  @Test
  void aQuickstartWithoutAConfigIsOfTheSmallShopAndImitatesByItsAddOn() {
    List<String> command = command("quickstart", "--set", "seed=8");
    assertThat(after(command, "--config"))
        .isEqualTo(PROJECT.resolve("conf/webshop-lite.yaml").toString());
    assertThat(after(command, "--jars")).contains(uri("dl4j/vstar-dl4j-1.jar"));
    assertThat(after(command("quickstart", "--config", BANDIT), "--config")).isEqualTo(BANDIT);
  }

  @Test
  void optionsGoToSparkOrToTheJobByTheirNamesWhateverTheirOrder() {
    List<String> command =
        command(
            "vstar",
            "--master=local[2]",
            "--set=vstar.beta1=0.3",
            "-c",
            "spark.a=b c",
            "--",
            "--config",
            BANDIT,
            "--conf=spark.x=y",
            "--resume",
            "--set",
            "name=a b",
            "--executor-memory",
            "2g");
    int job = command.indexOf(uri("vstar-spark-jobs.jar"));
    assertThat(command.subList(job + 1, command.size()))
        .containsExactly(
            "--config", BANDIT, "--set", "vstar.beta1=0.3", "--set", "name=a b", "--resume");
    assertThat(command.subList(0, job))
        .startsWith(PROJECT.resolve("submit/spark-submit").toString())
        .containsSequence("--master", "local[2]")
        .containsSequence("--conf", "spark.a=b c", "--conf", "spark.x=y")
        .containsSequence("--executor-memory", "2g")
        .containsSequence("--deploy-mode", "client")
        .endsWith("--class", "org.vstar.spark.value.VStarJob");
  }

  @Test
  void withoutASparkOfTheUsersOnlyVstarsJarsGoAlongAndLibrariesOfAddOnsComeFirst() {
    List<String> command = command("warm-start", "--config", BANDIT, "--set", "engine=libtorch");
    assertThat(after(command, "--jars").split(","))
        .containsExactly(
            uri("libtorch/vstar-libtorch-1.jar"),
            uri("dl4j/vstar-dl4j-1.jar"),
            uri("lib/vstar-model-1.jar"));
    String first = jars.resolve("libtorch/pytorch-1.jar") + ":" + jars.resolve("dl4j/nd4j-1.jar");
    assertThat(command)
        .contains("spark.driver.extraClassPath=" + first, "spark.executor.extraClassPath=" + first);
    assertThat(uri("lib")).endsWith("/jars%2C%20all/lib");
  }

  @Test
  void processesOfAnEngineThatIsAnAddOnHaveOneNativeHeapUnlessTheUserSaysOtherwise() {
    String[] words = {"train", "--config", BANDIT, "--set", "engine=libtorch"};
    assertThat(((Plan.Run) plan(words)).environment()).containsEntry("MALLOC_ARENA_MAX", "1");
    assertThat(command(words)).contains("spark.executorEnv.MALLOC_ARENA_MAX=1");
    Plan.Run plain = (Plan.Run) plan("train", "--config", BANDIT);
    assertThat(plain.environment()).doesNotContainKey("MALLOC_ARENA_MAX");
    assertThat(plain.command()).noneMatch(word -> word.contains("MALLOC"));
    environment.put("MALLOC_ARENA_MAX", "4");
    assertThat(((Plan.Run) plan(words)).environment()).doesNotContainKey("MALLOC_ARENA_MAX");
    assertThat(command(words)).contains("spark.executorEnv.MALLOC_ARENA_MAX=4");
  }

  @Test
  void aSparkOfTheUsersGetsAllJarsAndWhatVstarNeedsOfAJvm() throws IOException {
    Path conf = Files.createDirectories(folder.resolve("spark/conf"));
    Files.writeString(conf.resolve("spark-defaults.conf"), "spark.master  yarn\n");
    Path client = folder.resolve("spark/jars/spark-yarn_2.12-3.jar");
    Files.createDirectories(client.getParent());
    Files.createFile(client);
    environment.put("SPARK_HOME", conf.getParent().toString());
    List<String> command = command("vstar", "--config", BANDIT, "--set", "engine=libtorch");
    assertThat(after(command, "--jars").split(","))
        .containsExactly(
            uri("libtorch/pytorch-1.jar"),
            uri("libtorch/vstar-libtorch-1.jar"),
            uri("lib/foreign-1.jar"),
            uri("lib/vstar-model-1.jar"));
    String logging = "\"-Dlog4j2.configurationFile=" + PROJECT + "/conf/log4j2.properties\"";
    assertThat(command)
        .contains(
            "spark.executor.defaultJavaOptions=--add-modules=a",
            "spark.driver.defaultJavaOptions=--add-modules=a " + logging,
            "spark.ui.showConsoleProgress=false");
    assertThat(((Plan.Run) plan("vstar", "--config", BANDIT)).environment()).isEmpty();

    Files.createFile(conf.resolve("log4j2.properties"));
    assertThat(command("vstar", "--config", BANDIT))
        .contains("spark.driver.defaultJavaOptions=--add-modules=a")
        .doesNotContain("spark.ui.showConsoleProgress=false");
  }

  @Test
  void aSparkOfThisMachineAloneListensToThisMachineAlone() {
    assertThat(((Plan.Run) plan("vstar", "--config", BANDIT)).environment())
        .containsExactly(Map.entry("SPARK_LOCAL_IP", "127.0.0.1"));
    assertThat(((Plan.Run) plan("vstar", "--config", BANDIT, "--master=yarn")).environment())
        .isEmpty();
    environment.put("SPARK_LOCAL_IP", "10.0.0.1");
    assertThat(((Plan.Run) plan("vstar", "--config", BANDIT)).environment()).isEmpty();
  }

  /** Quotes, line ends and settings of the command are read by the one reader of YAML. */
  @Test
  void theAddOnsOfAConfigAreFoundHoweverItIsWritten() throws IOException {
    String needs = "engine: \"libtorch\" # quoted\r\nname: q\r\ninclude: '" + PRETRAINED + "'\r\n";
    String config = Files.writeString(folder.resolve("my config.yaml"), needs).toString();
    assertThat(plan("vstar", "--config", config)).isEqualTo(new Plan.Build(List.of("jinja")));
    Files.createDirectories(jars.resolve("jinja"));
    Files.createFile(jars.resolve("jinja/vstar-jinja-1.jar"));
    assertThat(after(command("vstar", "--config", config), "--jars"))
        .startsWith(uri("libtorch/vstar-libtorch-1.jar") + "," + uri("jinja/vstar-jinja-1.jar"));
    assertThat(after(command("vstar", "--config", config, "--set", "engine=vector"), "--jars"))
        .startsWith(uri("jinja/vstar-jinja-1.jar"));
    assertThat(after(command("vstar", "--config", "s3a://b/x.yaml"), "--jars"))
        .startsWith(uri("lib/vstar-model-1.jar"));
    assertThat(
            after(command("vstar", "--config", "s3a://b/x", "--add-ons", "jinja,dl4j"), "--jars"))
        .startsWith(uri("jinja/vstar-jinja-1.jar") + "," + uri("dl4j/vstar-dl4j-1.jar"));
  }

  @Test
  void theDriversMemoryIsTheConfigsUnlessTheCommandSaysIt() throws IOException {
    String config =
        Files.writeString(
                folder.resolve("large.yaml"), "include: '" + BANDIT + "'\ndriverMemory: 6g\n")
            .toString();
    assertThat(after(command("train", "--config", config), "--driver-memory")).isEqualTo("6g");
    assertThat(command("train", "--config", BANDIT)).doesNotContain("--driver-memory");
    assertThat(command("train", "--config", config, "--driver-memory", "3g"))
        .contains("3g")
        .doesNotContain("6g");
    assertThat(command("train", "--config", config, "--conf", "spark.driver.memory=4g"))
        .doesNotContain("--driver-memory");
  }

  @Test
  void whatIsWrongIsSaidBeforeASparkIsStarted() throws IOException {
    assertThat(refused("vstar", "--cofnig", "x"))
        .contains("unknown option '--cofnig', did you mean '--config'?", "submit/vstar --help");
    assertThat(refused("evaluate", "--config=x", "now")).contains("'now' is no option");
    assertThat(refused("train", "--config", BANDIT, "--rollouts", "moon")).contains("--rollouts");
    assertThat(refused("vstar", "--config", BANDIT, "--samples", "two")).contains("--samples");
    assertThat(refused("vstar", "--config", "none.yaml")).contains("none.yaml does not exist");
    Path broken = Files.writeString(folder.resolve("my config.yaml"), "engine: [\n");
    assertThat(refused("vstar", "--config", broken.toString()))
        .contains("my config.yaml:", "not YAML");
    assertThat(refused("vstar", "--config", BANDIT, "--add-ons", "x"))
        .contains("no add-on 'x', there are: [dl4j, instruments, jinja, libtorch, nd4j]");
    assertThat(command("vstar", "--config", BANDIT, "--executor-memory=4")).contains("4");
    Files.createFile(jars.resolve("spark/jars/spark-core_2.13-4.2.0.jar"));
    assertThat(refused("warm-start", "--config", BANDIT)).contains("no module for Spark 4");
  }

  @Test
  void aConfigGoesAlongWithADriverOfYarn() throws IOException {
    Path conf = Files.createDirectories(folder.resolve("mine/conf"));
    Files.createDirectories(folder.resolve("mine/data"));
    Files.writeString(folder.resolve("mine/data/catalogue.jsonl"), "{}\n");
    Files.writeString(conf.resolve("base.yaml"), "name: base\n");
    Path config =
        Files.writeString(
            conf.resolve("x.yaml"),
            "include: base.yaml\nenvironment: {catalogue: ../data/catalogue.jsonl}\n");
    String[] words = {
      "vstar",
      "--config",
      config.toString(),
      "--master=yarn",
      "--deploy-mode=cluster",
      "--archives",
      "hdfs://a/b.zip",
      "--out",
      "hdfs://runs/x"
    };
    List<String> command = command(words);
    String[] archives = after(command, "--archives").split(",");
    assertThat(archives[0]).isEqualTo("hdfs://a/b.zip");
    assertThat(archives[1]).startsWith("file:///").endsWith(".zip#vstar-config");
    Path archive = Path.of(archives[1].replaceAll("file://|#.*", ""));
    try (ZipFile zip = new ZipFile(archive.toFile())) {
      assertThat(zip.stream().map(Object::toString))
          .containsExactly("conf/base.yaml", "conf/x.yaml", "data/catalogue.jsonl");
    }
    assertThat(command).containsSequence("--config", "vstar-config/conf/x.yaml");
    assertThat(command).containsSequence("--deploy-mode", "cluster");
  }

  @Test
  void aDriverThatWouldNotSeeTheConfigOrLoseTheResultsIsNotSubmitted() {
    for (String master : List.of("spark://a:1", "k8s://https://a:1", "mesos://a:1")) {
      assertThat(
              refused(
                  "vstar",
                  "--master",
                  master,
                  "--deploy-mode=cluster",
                  "--config",
                  BANDIT,
                  "--out=hdfs://a/b"))
          .contains("is a file of this machine", "name its URI");
    }
    assertThat(
            command(
                "vstar",
                "--master=k8s://https://a:1",
                "--conf=spark.submit.deployMode=cluster",
                "--conf",
                "spark.kubernetes.file.upload.path=s3a://b/up",
                "--config",
                BANDIT,
                "--out=s3a://b/c"))
        .containsSequence("--config", "vstar-config/bandit.yaml");
    String[] yarn = {"vstar", "--master=yarn", "--deploy-mode=cluster", "--config", BANDIT};
    assertThat(refused(yarn)).contains("--out is missing");
    assertThat(
            refused(
                "vstar", "--master=yarn", "--deploy-mode=cluster", "--config", BANDIT, "--out=o"))
        .contains("--out is 'o'", "expected a URI");
    assertThat(
            refused(
                "evaluate",
                "--master=yarn",
                "--deploy-mode=cluster",
                "--config",
                BANDIT,
                "--out=hdfs://a/b",
                "--policy=src"))
        .contains("--policy src is on this machine", "name a URI");
  }

  @Test
  void aConfigByABadUriIsRefused() {
    assertThat(refused("vstar", "--config", "file:/a b.yaml")).contains("not a URI");
  }

  @Test
  void yarnIsRefusedWhereSparkHasNoClientOfIt() throws IOException {
    Files.delete(jars.resolve("spark/jars/spark-yarn_2.12-1.jar"));
    for (String mode : List.of("client", "cluster")) {
      assertThat(
              refused(
                  "vstar", "--master=yarn", "--deploy-mode", mode, "--config", BANDIT, "--out=o"))
          .contains("--master is 'yarn'", "no YARN client", "set SPARK_HOME");
    }
  }

  @Test
  void aDryRunPrintsTheConfigWithItsSettingsAndALineThatAShellTakes() {
    Plan plan =
        plan("vstar", "--config", BANDIT, "--set", "name=it's", "--out", "a b", "--dry-run");
    assertThat(plan).isInstanceOf(Plan.End.class);
    assertThat(((Plan.End) plan).text())
        .contains("seed: 7\n", "name: it's\n", "kind: bandit\n")
        .doesNotContain("include")
        .contains(" \\\n  --class org.vstar.spark.value.VStarJob file://")
        .endsWith(" \\\n  --set 'name=it'\\''s' \\\n  --out 'a b'\n");
  }

  @Test
  void sqlBeginsInARunOrAboveAllOfThem() throws IOException {
    Path run = folder.resolve("runs/a run");
    for (String table : List.of("tasks", "samples", "vstar")) {
      Files.createDirectories(run.resolve("tables").resolve(table));
    }
    String scratch = folder.resolve("scratch").toString();
    String[] csv = {"sql", scratch, "--out", "file:" + run, "-e", "SELECT 1", "--output=csv"};
    assertThat(command(csv))
        .contains(
            "spark.sql.catalog.runs.root=" + folder.resolve("runs"),
            "spark.sql.catalog.runs.run=a run",
            "spark.sql.defaultCatalog=runs")
        .endsWith(
            "--class",
            "org.vstar.spark.cli.Query",
            "spark-internal",
            "--output",
            "csv",
            "-e",
            "SELECT 1");
    assertThat(command("sql", scratch, "--root", run.getParent().toString(), "--hiveconf", "a=b"))
        .contains("spark.sql.catalog.runs.root=" + run.getParent())
        .doesNotContain("spark.sql.defaultCatalog=runs")
        .endsWith("spark-internal", "--hiveconf", "a=b");
    assertThat(command("sql", scratch, "--out", "s3a://bucket/runs/first/"))
        .contains(
            "spark.sql.catalog.runs.root=s3a://bucket/runs", "spark.sql.catalog.runs.run=first");
    Files.delete(run.resolve("tables/vstar"));
    assertThat(refused("sql", scratch, "--out", run.toString())).contains("vstar is missing");
    assertThat(refused("sql", scratch, "--out", "a", "--root", "b")).contains("give one of them");
  }

  @Test
  void wordsOfAPlanNameVariablesBeforeTheCommand() {
    assertThat(new Plan.Run(Map.of("B", "2", "A", "1"), List.of("x", "y z")).words())
        .containsExactly("run", "A=1", "B=2", "x", "y z");
    assertThatThrownBy(() -> plan("dance", "x")).hasMessageContaining("no command 'dance'");
  }
}
