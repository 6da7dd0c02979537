package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.Json;
import org.vstar.spark.SubmitCommand.Said;

/** The commands of {@code submit}, as a user types them. */
class SubmitIT {

  /** For processes that do very much of very little: that alone is compiled twice. */
  private static final String LONG =
      "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote -XX:Tier4MinInvocationThreshold=6000"
          + " -XX:Tier4InvocationThreshold=50000 -XX:Tier4CompileThreshold=150000"
          + " -XX:Tier4BackEdgeThreshold=400000";

  private static final String MADE = "spark-jobs/jobs/target";

  private static final Path PROJECT = SubmitCommand.PROJECT;

  @TempDir Path folder;

  private ProcessBuilder process(Path project, String command, String... arguments) {
    return SubmitCommand.process(project, folder, command, arguments);
  }

  private Said said(ProcessBuilder process) throws Exception {
    return SubmitCommand.said(process, folder);
  }

  private Said run(String command, String... arguments) throws Exception {
    return said(process(PROJECT, command, arguments));
  }

  private static void assertRefused(Said said, String... parts) {
    assertThat(said.code()).as(said.errors()).isEqualTo(2);
    assertThat(said.log()).as(said.errors()).hasSize(1);
    assertThat(said.errors()).startsWith("error: ").contains(parts);
  }

  @Test
  void whatIsMistypedOrNotSupportedIsRefusedInOneLineBeforeSparkIsStarted() throws Exception {
    assertRefused(
        run("vstar", "--cofnig", "x"),
        "option '--cofnig', did you mean '--config'",
        "--help lists");
    assertRefused(
        run("train", "--config"),
        "required parameter for option '--config'",
        "submit/train --help");
    assertRefused(run("evaluate", "now"), "'now' is no option");
    assertRefused(run("quickstart", "--ouy", "x"), "unknown option '--ouy'");
    assertRefused(run("vstar", "--config=x", "--deploy-mode=both"), "expected client or cluster");
    assertRefused(
        run("train", "--config=x", "--conf", "foo"), "--conf is 'foo', expected KEY=VALUE");
    assertRefused(
        run("train", "--config=x", "--master", "foo"), "--master is 'foo', expected local[N]");
    assertRefused(
        run("train", "--config=x", "--driver-memory", "zz"), "expected a size such as 4g");
    assertRefused(run("train", "--config=x", "--jars", "no.jar"), "--jars: no.jar does not exist");
    assertRefused(run("play", "--jars=no.jar"), "--jars: no.jar does not exist");
    assertRefused(run("sql", "--out", "nowhere"), "no V* tables in nowhere");
    assertRefused(run("cluster", "--foo"), "submit/cluster --help");
    assertRefused(run("cluster", "start", "--cores", "none"), "'none'");
    ProcessBuilder homeless = process(PROJECT, "vstar");
    homeless.environment().put("SPARK_HOME", "/nowhere");
    assertRefused(said(homeless), "SPARK_HOME is '/nowhere', expected the folder of a Spark 3.5");
  }

  @Test
  void aScriptCanBeCalledThroughALink() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("vs"), PROJECT.resolve("submit/vstar"));
    Said help = said(new ProcessBuilder(link.toString(), "--help"));
    assertThat(help.output()).as(help.errors()).startsWith("Usage: submit/vstar");
    Path sub = Files.createSymbolicLink(folder.resolve("my dir"), PROJECT.resolve("submit"));
    ProcessBuilder train = new ProcessBuilder(sub.resolve("train").toString(), "--foo");
    train.environment().remove("SPARK_HOME");
    assertRefused(said(train), "unknown option '--foo'");
  }

  @Test
  void thePublishedPolicyIsTheOneThatItsCardNames() throws Exception {
    Path policy = PROJECT.resolve("datasets/policies/webshop-1k");
    Said info = run("policy", "info", policy.toString());
    assertThat(info.code()).as(info.errors()).isZero();
    String fingerprint = Json.MAPPER.readTree(info.output()).path("fingerprint").asText();
    assertThat(Files.readString(policy.resolve("README.md")))
        .contains("fingerprint `" + fingerprint + "`");
  }

  @Test
  void aConfigurationOfTheUsersOwnThatIsEmptyKeepsTheLogShort() throws Exception {
    Path out = folder.resolve("it's");
    new TestRun(out).withReference(1);
    ProcessBuilder vstar = process(PROJECT, "vstar", submitArguments(out));
    Path empty = Files.createDirectories(folder.resolve("conf"));
    vstar.environment().put("SPARK_CONF_DIR", empty.toString());
    Said said = said(vstar);
    assertThat(said.code()).as(said.errors()).isZero();
    assertThat(said.log().stream().filter(line -> !line.startsWith("V*: ")))
        .as(said.errors())
        .hasSizeLessThanOrEqualTo(20);
    assertThat(said.errors()).contains("694 of 694 rollouts");

    Path query =
        Files.writeString(folder.resolve("query.sql"), "SELECT count(*) AS tasks FROM vstar;");
    Said answer = run("sql", "--out", "file:" + out, "-f", query.toString());
    assertThat(answer.output()).as(answer.errors()).isEqualTo("tasks\n347\n");
  }

  private static String[] submitArguments(Path out) {
    String[] arguments = new TestRun(out).arguments();
    // The test's config is named from another folder.
    arguments[1] = PROJECT.resolve("conf/webshop-lite.yaml").toString();
    return arguments;
  }

  /** Its libraries are of another version than those that DL4J brings into the same process. */
  @Test
  void anEngineThatIsAnAddOnRunsOnExecutorsToo() throws Exception {
    Path out = folder.resolve("libtorch");
    TestRun run = new TestRun(out, "environment.testTargets=400").withReference(1);
    List<String> arguments = new ArrayList<>(List.of(run.arguments()));
    String config = PROJECT.resolve("conf/webshop-lite.yaml").toString();
    arguments.set(1, config);
    arguments.addAll(List.of("--set", "engine=libtorch"));
    Said said = run("vstar", arguments.toArray(String[]::new));
    assertThat(said.code()).as(said.errors()).isZero();
    assertThat(said.errors()).containsPattern("(\\d+) of \\1 tasks");
    Said refused = run("vstar", "--config", config, "--out", "x", "--set", "engine=none");
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.errors()).contains("engine");
  }

  /** A policy with the tokenizer and the chat template of a published model. */
  @Test
  void aPolicyInHuggingFacesLayoutIsTunedSampledAdaptedAndTakenAsItIs() throws Exception {
    SubmitCommand.assumeNpm();
    Path config = huggingFace("tuned", "tokenizer: " + SubmitCommand.qwenTokenizer());
    Files.writeString(
        config,
        """
        model: {layers: 1, width: 16, heads: 1, kvHeads: 1, headNorm: true, tied: true, \
        feedForward: 16, context: 256, ropeTheta: 500, normEpsilon: 1.0e-6, qkvBias: false}
        warmStart: {rounds: 1, batchesPerRound: 2, batch: 4, \
        initialization: {deviation: 0.1, embeddingDeviation: 0.1, inductionHeads: false}, \
        optimizer: {learningRate: 2.0e-3, warmupSteps: 1, finalFraction: 0.1, adamBeta1: 0.9, \
        adamBeta2: 0.98, epsilon: 1.0e-8, weightDecay: 0.0, clipNorm: 1.0}}
        """,
        StandardOpenOption.APPEND);
    String out = folder.resolve("tuned").toString();
    Said tuned = run("quickstart", "--config", config.toString(), "--out", out);
    assertThat(tuned.code()).as(tuned.errors()).isZero();
    assertThat(folder.resolve("tuned/evaluation-final/report.html")).exists();
    assertThat(folder.resolve("tuned/train-regression/policy/adapter_config.json")).exists();

    Path model = folder.resolve("tuned/reference");
    Path asItIs = huggingFace("as-it-is", "model: " + model);
    Said said =
        run("warm-start", "--config", asItIs.toString(), "--out", folder.resolve("as-it-is") + "");
    assertThat(said.code()).as(said.errors()).isZero();
    String weights = "model.safetensors";
    assertThat(folder.resolve("as-it-is/reference").resolve(weights))
        .hasSameBinaryContentAs(model.resolve(weights));
  }

  /**
   * Weights never pass through Java's heap as a whole: files are mapped, copied and hashed in
   * parts.
   */
  @Test
  void aPolicyIsSampledAndAdaptedInAHeapThatCouldNotHoldIt() throws Exception {
    SubmitCommand.assumeNpm();
    Path model = SparseModel.write(folder.resolve("large"));
    assertThat(Files.size(model.resolve("model.safetensors"))).isGreaterThan(512L << 20);
    String tokenizer = "tokenizer: " + SubmitCommand.qwenTokenizer();
    Path config = huggingFace("heap", "model: " + model + ", " + tokenizer);
    List<String> settings =
        List.of(
            "dtype=bfloat16",
            "environment.tasks=2",
            "sampling.maxTokensPerTurn=2",
            "vstar.samples=1",
            "train.steps=1",
            "train.tasksPerStep=2",
            "train.evaluateTasks=1");
    for (String job : List.of("warm-start", "vstar", "train")) {
      List<String> arguments = new ArrayList<>(List.of("--config", config.toString()));
      arguments.addAll(List.of("--driver-memory", "512m", "--master", "local[1]"));
      arguments.addAll(List.of("--out", folder.resolve("heap").toString()));
      settings.forEach(setting -> arguments.addAll(List.of("--set", setting)));
      ProcessBuilder command = process(PROJECT, job, arguments.toArray(String[]::new));
      // Long hashes and copies pay for the second compiler, all else does not.
      command.environment().put("SPARK_SUBMIT_OPTS", LONG);
      Said said = said(command);
      assertThat(said.code()).as(said.errors()).isZero();
    }
    assertThat(folder.resolve("heap/train-regression/policy/adapter_model.safetensors")).exists();
  }

  private Path huggingFace(String name, String source) throws IOException {
    return Files.writeString(
        folder.resolve(name + ".yaml"),
        """
        include: %s
        name: %s
        engine: libtorch
        huggingFace: {%s, system: Pull an arm., templateArguments: {enable_thinking: false}}
        environment: {kind: bandit, tasks: 8, seed: 11, chance: 0.25}
        sampling: {maxTokensPerTurn: 12, think: false}
        vstar: {samples: 2}
        train: {steps: 2, tasksPerStep: 4, evaluateEvery: 2, evaluateTasks: 4, \
        lora: {rank: 2, alpha: 4, targets: [q_proj, v_proj]}}
        evaluate: {samplesPerTask: 1}
        """
            .formatted(PROJECT.resolve("conf/learning.yaml"), name, source));
  }

  @Test
  void aBuildLeavesARunningCommandItsJarsAndTakesThemAwayAfterwards() throws Exception {
    Path copy = folder.resolve("project");
    List<String> parts =
        new ArrayList<>(List.of("pom.xml", "conf", "submit", "datasets/webshop-lite"));
    for (String module : modules()) {
      parts.addAll(List.of(module + "/pom.xml", module + "/src/main"));
    }
    for (String part : parts) {
      copy(PROJECT.resolve(part), copy.resolve(part));
    }
    copyMade(copy);
    assertThat(said(process(copy, "build"))).isEqualTo(new Said(0, "", ""));
    Path first = layout(copy);
    Process play = process(copy, "play", "--task", "0").redirectErrorStream(true).start();
    BufferedReader pages =
        new BufferedReader(new InputStreamReader(play.getInputStream(), StandardCharsets.UTF_8));
    String page = pages.readLine();
    while (!page.contains("buy")) {
      page = pages.readLine();
    }

    Path source = copy.resolve("env/api/src/main/java/org/vstar/env/Turn.java");
    Files.writeString(source, "// changed\n", StandardOpenOption.APPEND);
    Said built = said(process(copy, "build"));
    assertThat(built.code()).as(built.errors()).isZero();
    assertThat(layout(copy)).isNotEqualTo(first);
    assertThat(first.resolve("vstar-spark-jobs.jar")).exists();
    assertThat(said(process(copy, "build"))).isEqualTo(new Said(0, "", ""));

    play.outputWriter().write("search hat\n\n");
    play.outputWriter().flush();
    String rest = String.join("\n", pages.lines().toList());
    assertThat(play.waitFor()).as(rest).isZero();
    assertThat(rest).contains("reward", "return");

    // As if Maven had been run by hand.
    Files.setLastModifiedTime(
        copy.resolve(MADE).resolve("vstar-spark-jobs.jar"), FileTime.from(Instant.now()));
    assertThat(said(process(copy, "build")).code()).isZero();
    assertThat(first).doesNotExist();
  }

  /** What Maven has made of these sources goes along, as if it had been made there. */
  private static void copyMade(Path copy) throws IOException {
    for (String part : List.of("lib", "spark/jars")) {
      Path to = Files.createDirectories(copy.resolve(MADE).resolve(part));
      try (Stream<Path> jars = Files.list(PROJECT.resolve(MADE).resolve(part))) {
        for (Path jar : jars.toList()) {
          link(jar, to.resolve(jar.getFileName()));
        }
      }
    }
    String jar = "vstar-spark-jobs.jar";
    Files.copy(PROJECT.resolve(MADE).resolve(jar), copy.resolve(MADE).resolve(jar));
  }

  private static void link(Path file, Path to) throws IOException {
    try {
      Files.createLink(to, file);
    } catch (IOException e) {
      // On another disk.
      Files.copy(file, to, StandardCopyOption.COPY_ATTRIBUTES);
    }
  }

  /** All of them, as the build reads them. */
  private static List<String> modules() throws IOException {
    Matcher named =
        Pattern.compile("<module>(.*?)</module>")
            .matcher(Files.readString(PROJECT.resolve("pom.xml")));
    return named.results().map(module -> module.group(1)).toList();
  }

  private static Path layout(Path project) throws IOException {
    Path layouts = project.resolve("spark-jobs/target/run");
    return layouts.resolve(Files.readString(layouts.resolve("current")).strip());
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path copy = to.resolve(from.relativize(path).toString());
        Files.createDirectories(Files.isDirectory(path) ? copy : copy.getParent());
        if (Files.isRegularFile(path)) {
          Files.copy(path, copy, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
  }
}
