package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.TestRun;
import org.vstar.spark.cli.Datasets;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;
import org.vstar.spark.warmstart.WarmStartJob;

class JobContextTest {

  @TempDir Path folder;

  private void assertRefused(Callable<Integer> job, String setting, String... parts) {
    TestRun run = new TestRun(folder.resolve("run"), setting);
    assertThat(run.run(job)).isEqualTo(2);
    assertThat(run.errors().lines().filter(l -> l.startsWith("error: ")))
        .singleElement()
        .asString()
        .contains(parts);
    assertThat(folder.resolve("run")).as("nothing is written").doesNotExist();
  }

  @Test
  void everyJobRefusesAnUnknownKeyAndNamesTheNearest() {
    for (Callable<Integer> job :
        List.of(new WarmStartJob(), new VStarJob(), new TrainJob(), new EvaluateJob())) {
      assertRefused(
          job, "vstar.sample=3", "error: --set vstar.sample=3: ", "'sample'", "mean 'samples'?");
    }
  }

  @Test
  void valuesOutOfRangeAreRefusedByKey() {
    assertRefused(new VStarJob(), "vstar.beta1=-0.5", "'vstar.beta1' is -0.5, expected 0");
    assertRefused(
        new TrainJob(), "train.objective=pp", "'train.objective' is 'pp'", "policy-gradient");
    assertRefused(
        new TrainJob(),
        "objectives={regression: {kind: oapl}}",
        "'vstar.beta1' is 0.5, expected 0.1, which OAPL is trained with");
    assertRefused(
        new TrainJob(), "objectives.regression.beta2=0", "'beta2' is 0.0, expected more than 0");
    assertRefused(new WarmStartJob(), "warmStart.optimizer.weightDecay=0.1", "weightDecay' is 0.1");
    assertRefused(
        new WarmStartJob(),
        "warmStart.optimizer.momentum=1",
        "'momentum' is 1.0, expected 0 or more");
    assertRefused(new VStarJob(), "sampling.topP=0.9", "'sampling.topP' is 0.9, expected 1");
    assertRefused(new VStarJob(), "sampling.temperature=0", "'sampling.temperature' is 0.0");
    assertRefused(new VStarJob(), "engine=abacus", "'engine' is 'abacus'", "[vector]");
    assertRefused(new VStarJob(), "sampling.topP=1.5", "'sampling.topP'");
    assertRefused(new VStarJob(), "model.heads=3", "'model.heads' is 3");
  }

  @Test
  void aKeyThatWasRenamedIsToldUnderItsNewName() {
    assertRefused(new TrainJob(), "train.clamp=2", "renamed to 'objectives.<name>.advantageClip'");
    assertRefused(
        new TrainJob(), "train.optimizer.beta1=0.9", "'beta1' in 'train.optimizer'", "adamBeta1");
    assertRefused(
        new WarmStartJob(), "warmStart.initialization.copying=true", "to 'inductionHeads'");
  }

  @Test
  void aStoreThatNoJarKnowsAndOneThatIsNotThereAreRefused() {
    assertOutRefused("x://host/y", "no jar knows the file system 'x' of x://host/y: add its jar");
    assertOutRefused("hdfs:/run", "hdfs:/run names no host, and fs.defaultFS, which would, is ");
  }

  private static void assertOutRefused(String out, String message) {
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(errors, true, StandardCharsets.UTF_8);
    String config = TestRun.CONFIG.toString();
    assertThat(JobContext.run(new VStarJob(), to, "--config", config, "--out", out)).isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8).lines())
        .singleElement()
        .asString()
        .startsWith("error: " + message);
  }

  @Test
  void wildcardsInAFoldersNameAreRefused() {
    for (String out : List.of("run-[1]", "run*", "a\\b", " ", "a\nb")) {
      ByteArrayOutputStream errors = new ByteArrayOutputStream();
      PrintStream to = new PrintStream(errors, true, StandardCharsets.UTF_8);
      String config = TestRun.CONFIG.toString();
      assertThat(JobContext.run(new VStarJob(), to, "--config", config, "--out", out)).isEqualTo(2);
      assertThat(errors.toString(StandardCharsets.UTF_8))
          .startsWith("error: --out is '" + out.replace("\n", " ") + "', expected a folder");
    }
  }

  @Test
  void aFolderThatCannotBeWrittenToIsRefusedBeforeAnyWork() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    TestRun inFile = new TestRun(file.resolve("run"));
    TestRun isFile = new TestRun(file);
    for (TestRun run : List.of(inFile, isFile)) {
      for (Callable<Integer> job :
          List.of(new WarmStartJob(), new VStarJob(), new TrainJob(), new EvaluateJob())) {
        assertThat(run.run(job)).isEqualTo(2);
        assertThat(run.errors().lines()).singleElement().asString().contains("--out");
      }
    }
    assertThat(file).hasContent("x");
  }

  @Test
  void namesThatLeadElsewhereAndNumbersThatAreNoneAreRefused() {
    assertRefused(new VStarJob(), "name=../../x", "'name' is '../../x', expected letters");
    assertRefused(new VStarJob(), "vstar.samples=2000000000", "'vstar.samples'", "1 to 65536");
    assertRefused(new VStarJob(), "vstar.samples=2.5", "vstar.samples");
    assertRefused(new VStarJob(), "vstar.beta1=Infinity", "vstar.beta1", "not a finite number");
    assertRefused(new VStarJob(), "vstar.beta1=1e999", "vstar.beta1", "not a finite number");
    assertRefused(new VStarJob(), "sampling.think=1", "sampling.think");
    assertRefused(new VStarJob(), "train.maxSkipped=1.5", "'train.maxSkipped' is 1.5");
    assertRefused(new VStarJob(), "vstar.none.of=1", "--set vstar.none.of=1: unknown key 'none'");
    assertRefused(new VStarJob(), "model.context.of=1", "'model.context' is a value", "no section");
  }

  @Test
  void aMalformedCatalogueLineIsNamedByFileAndNumber() throws IOException {
    Path catalogue = Path.of("../../datasets/webshop-lite/catalogue.jsonl");
    List<String> lines = new ArrayList<>(Files.readAllLines(catalogue));
    lines.set(12, "{\"id\": 12, \"title\":");
    Path broken = Files.write(folder.resolve("broken.jsonl"), lines);
    assertRefused(
        new WarmStartJob(),
        "environment.catalogue=" + broken.toAbsolutePath(),
        "broken.jsonl:13: not a product");
  }

  @Test
  void aDatasetThatIsNotThereIsRefusedWithWhatIsMissingAndWhereItIsPublished() {
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(errors, true, StandardCharsets.UTF_8);
    assertThat(JobContext.run(new Datasets(), to, "webshop", "--dir", folder.toString()))
        .isEqualTo(2);
    assertThat(errors.toString(StandardCharsets.UTF_8))
        .startsWith("error: no whole WebShop dataset")
        .contains("items_shuffle_1000.json", "princeton-nlp/WebShop");
    assertThat(JobContext.run(new Datasets(), to, "alfworld")).isEqualTo(2);
  }

  @Test
  void aJobsProcessExitsWithAnErrorAndWithoutATrace() throws Exception {
    TestRun run = new TestRun(folder.resolve("run"), "vstar.beta1=-1");
    Process process = run.start(VStarJob.class);
    assertThat(process.waitFor()).isEqualTo(2);
    List<String> log = Files.readAllLines(folder.resolve("run.log"));
    assertThat(log).anyMatch(l -> l.startsWith("error: ")).noneMatch(l -> l.contains("\tat "));
  }
}
