package org.vstar.spark.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.spark.SparkException;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.value.VStarJob;
import picocli.CommandLine.Command;

class ErrorLineTest {

  @Command(name = "failing")
  private record Failing(Throwable thrown) implements Callable<Integer> {
    @Override
    public Integer call() throws Exception {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (Exception) thrown;
    }
  }

  private static String said(Throwable thrown, int code) {
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(errors, true, StandardCharsets.UTF_8);
    assertThat(JobContext.run(new Failing(thrown), to)).isEqualTo(code);
    String said = errors.toString(StandardCharsets.UTF_8);
    assertThat(said.lines()).as(said).hasSize(1);
    return said.strip();
  }

  @Test
  void whatTheUserCanMendEndsWithTwoAndItsMessageAlone() {
    InvalidInputException input = new InvalidInputException("goals.json:\n  line 3\tis odd");
    assertThat(said(input, 2)).isEqualTo("error: goals.json: line 3 is odd");
    assertThat(said(new SparkException("Job aborted\n\tat x", new RuntimeException(input)), 2))
        .isEqualTo("error: goals.json: line 3 is odd");
  }

  @Test
  void fullDisksAndMissingFilesAreNoFaultOfOurs() {
    assertThat(said(new FileSystemException("/out/a", null, "No space left on device"), 2))
        .isEqualTo("error: cannot read or write /out/a: No space left on device");
    assertThat(said(new SparkException("x", new FileNotFoundException("/out/b")), 2))
        .isEqualTo("error: cannot read or write a file: /out/b");
    assertThat(said(InvalidInputException.cannot("write /out/c", new IOException("gone")), 2))
        .isEqualTo("error: cannot write /out/c: gone");
  }

  @Test
  void aStoreThatDoesNotAnswerIsToldAsThatWithWhatToDo() throws IOException {
    Throwable store = new RuntimeException(new IOException("503, slow down"));
    String said = said(new SparkException("Task 0 failed 4 times", store), 2);
    assertThat(said)
        .startsWith("error: a store or a connection failed (java.io.IOException: 503, slow down): ")
        .contains("the same command goes on from what is finished");
    Files.delete(Path.of(said.substring(said.lastIndexOf(' ') + 1)));
  }

  @Test
  void aLibraryThatCannotBeUnpackedIsToldAsThat() throws IOException {
    Throwable library = new ExceptionInInitializerError("Cannot unpack libzstd: File too large");
    String said = said(new SparkException("Task 0 failed 4 times", library), 2);
    assertThat(said).contains("could not be loaded", "File too large", "is there room to unpack");
    Files.delete(Path.of(said.substring(said.lastIndexOf(' ') + 1)));
  }

  @Test
  void aFaultOfOursEndsWithOneAndNamesTheFileThatHasItsTrace() throws IOException {
    String said = said(new IllegalStateException("two\nlines"), 1);
    assertThat(said)
        .startsWith("error: a fault of Vstar's or Spark's, not of your input: ")
        .contains("IllegalStateException: two; the trace is in ");
    Path log = Path.of(said.substring(said.lastIndexOf(' ') + 1));
    assertThat(Files.readString(log)).contains("two\nlines", "\tat org.vstar.spark.run.ErrorLine");
    Files.delete(log);
  }

  @Test
  void aJobThatWasStoppedFromOutsideIsNoFaultAndEndsAsTheSystemWouldEndIt() {
    assertThat(said(new SparkException("Job 4 cancelled because SparkContext was shut down"), 143))
        .startsWith("error: stopped from outside; the same command goes on");
  }

  @Test
  void whatCannotTravelToExecutorsIsNamed() {
    Throwable stays = new java.io.NotSerializableException("org.acme.Env");
    assertThat(said(new SparkException("Task not serializable", stays), 2))
        .startsWith("error: org.acme.Env cannot travel to executors");
  }

  @Test
  void tooLittleMemoryIsToldAsThatWithTheOptionsThatGiveMore() throws IOException {
    String said = said(new OutOfMemoryError("Java heap space"), 1);
    assertThat(said).contains("the memory was too small (--driver-memory, --executor-memory)");
    Files.delete(Path.of(said.substring(said.lastIndexOf(' ') + 1)));
  }

  @Test
  void aCommandLineThatIsNotUnderstoodIsOneLineToo() {
    for (String[] arguments :
        new String[][] {
          {"--cofnig", "x"}, {}, {"--config"}, {"--config", "x", "stray"}, {"--set", "novalue"}
        }) {
      ByteArrayOutputStream errors = new ByteArrayOutputStream();
      PrintStream to = new PrintStream(errors, true, StandardCharsets.UTF_8);
      assertThat(JobContext.run(new VStarJob(), to, arguments)).isEqualTo(2);
      String said = errors.toString(StandardCharsets.UTF_8);
      assertThat(said.lines()).as(said).hasSize(1);
      assertThat(said).startsWith("error: ").contains("submit/vstar --help lists the options");
    }
  }
}
