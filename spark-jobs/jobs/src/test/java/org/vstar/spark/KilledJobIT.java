package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of processes that are killed: a driver on one machine, and an executor. */
class KilledJobIT {

  private static final int MOST_SECONDS = 120;

  @TempDir Path folder;

  private Process job(Path errors, String... more) throws IOException {
    TestRun run = new TestRun(folder.resolve("run"), "vstar.samples=200").configByUri();
    run.withReference(1);
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(List.of(run.arguments()));
    return SubmitCommand.process(
            SubmitCommand.PROJECT, folder, "vstar", arguments.toArray(String[]::new))
        .redirectError(errors.toFile())
        .start();
  }

  /** Waits until a job has said something. */
  private static void await(Path errors, String text) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
    while (!said(errors).contains(text)) {
      assertThat(System.nanoTime() < end).as("%s in: %s", text, said(errors)).isTrue();
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private static boolean isExecutor(ProcessHandle process) {
    return Arrays.asList(process.info().arguments().orElse(new String[0]))
        .contains("org.apache.spark.executor.CoarseGrainedExecutorBackend");
  }

  private static String said(Path errors) {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aDriverThatIsKilledLeavesALineAndOneThatIsStoppedDoesNot() throws Exception {
    Path errors = folder.resolve("killed.txt");
    Process killed = job(errors);
    await(errors, "V*: ");
    killed.destroyForcibly().waitFor();
    await(errors, "error: submit/vstar was killed before it could");
    Path stopped = folder.resolve("stopped.txt");
    Process ended = job(stopped, "--resume");
    await(stopped, "V*: ");
    ended.destroy();
    ended.waitFor();
    TimeUnit.SECONDS.sleep(2);
    assertThat(said(stopped)).doesNotContain("was killed");
  }

  @Test
  void anExecutorThatIsKilledLeavesALineAndTheJobGoesOn() throws Exception {
    Path errors = folder.resolve("executor.txt");
    Process job = job(errors, "--master", "local-cluster[2,1,2048]");
    await(errors, "V*: ");
    List<ProcessHandle> executors = job.descendants().filter(KilledJobIT::isExecutor).toList();
    assertThat(executors).hasSize(2);
    executors.get(0).destroyForcibly();
    await(errors, "was killed (Command exited with code 137)");
    assertThat(job.isAlive()).isTrue();
    job.destroyForcibly().waitFor();
  }
}
