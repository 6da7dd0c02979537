package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;
import org.vstar.spark.evaluate.EvaluateJob;
import org.vstar.spark.train.TrainJob;
import org.vstar.spark.value.VStarJob;

/**
 * The notebooks run from their first cell to their last on a run that they have not seen. Needs a
 * Python with nbconvert, ipykernel, pandas and matplotlib; {@code VSTAR_NOTEBOOKS=required} makes
 * it an error that there is none.
 */
class NotebookIT {

  private static final Path NOTEBOOKS = SubmitCommand.PROJECT.resolve("notebooks");
  private static final List<String> PYTHONS = List.of("python3", "/usr/bin/python3");

  @TempDir static Path folder;

  private static Optional<String> python = Optional.empty();

  @BeforeAll
  static void run() throws Exception {
    for (String name : PYTHONS) {
      if (python.isEmpty() && canImport(name)) {
        python = Optional.of(name);
      }
    }
    boolean required = "required".equals(System.getenv("VSTAR_NOTEBOOKS"));
    assertThat(python.isPresent() || !required).as("a Python with what notebooks need").isTrue();
    assumeTrue(python.isPresent(), "no Python with nbconvert, ipykernel, pandas, matplotlib");
    SparkSession spark = TestRun.session("local[2]");
    TestRun run = new TestRun(folder.resolve("run")).withReference(1);
    assertThat(run.run(new VStarJob())).as(run.errors()).isZero();
    assertThat(run.run(new TrainJob())).as(run.errors()).isZero();
    assertThat(run.run(new EvaluateJob())).as(run.errors()).isZero();
    spark.stop();
  }

  private static boolean canImport(String python) throws InterruptedException {
    try {
      return new ProcessBuilder(
                  python, "-c", "import nbconvert, ipykernel, pandas, matplotlib, numpy")
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void theNotebookOfPoliciesRunsAndDrawsItsPlots() throws Exception {
    assertThat(plots("compare-policies", Map.of())).isEqualTo(2);
  }

  @Test
  void theNotebookOfValuesRunsOnTheSparkThatPipInstalls() throws Exception {
    Map<String, String> environment;
    try {
      String spark = SubmitCommand.python().packageFolder("pyspark").toString();
      environment = Map.of("SPARK_HOME", spark);
    } catch (TestAbortedException e) {
      // Without pip it runs on the Spark that the build laid out.
      environment = Map.of();
    }
    assertThat(plots("explore-vstar", environment)).isEqualTo(3);
  }

  /** How many plots a notebook draws; it is an error if a cell fails. */
  private static int plots(String name, Map<String, String> environment) throws Exception {
    List<String> command = new ArrayList<>(List.of(python.orElseThrow(), "-m", "nbconvert"));
    command.addAll(List.of("--to", "notebook", "--execute", name + ".ipynb"));
    command.addAll(List.of("--output", name + ".ipynb", "--output-dir", folder.toString()));
    ProcessBuilder process = new ProcessBuilder(command).directory(NOTEBOOKS.toFile());
    process.environment().keySet().removeAll(List.of("SPARK_HOME", "SPARK_CONF_DIR"));
    process.environment().putAll(environment);
    process.environment().put("SPARK_SUBMIT_OPTS", TestRun.SHORT);
    process.environment().put("VSTAR_RUN", folder.resolve("run").toString());
    process.environment().put("VSTAR_EPISODES", "evaluation/episodes.jsonl");
    Path log = folder.resolve(name + ".log");
    int code = process.redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
    assertThat(code).as(() -> read(log)).isZero();
    return images(folder.resolve(name + ".ipynb"));
  }

  private static int images(Path notebook) throws IOException {
    JsonNode cells = new ObjectMapper().readTree(notebook.toFile()).path("cells");
    int images = 0;
    for (JsonNode cell : cells) {
      for (JsonNode output : cell.path("outputs")) {
        images += output.path("data").has("image/png") ? 1 : 0;
      }
    }
    return images;
  }

  /** What is committed was run, without an error. */
  @Test
  void committedNotebooksHaveTheirOutputs() throws IOException {
    assertThat(images(NOTEBOOKS.resolve("explore-vstar.ipynb"))).isEqualTo(3);
    assertThat(images(NOTEBOOKS.resolve("compare-policies.ipynb"))).isEqualTo(2);
  }

  private static String read(Path log) {
    try {
      return java.nio.file.Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
