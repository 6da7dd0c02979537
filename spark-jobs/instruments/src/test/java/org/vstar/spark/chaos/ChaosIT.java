package org.vstar.spark.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.store.TestStore;
import org.vstar.spark.store.TestStores;

/** Real processes, killed at random moments. */
@ExtendWith(TestStores.class)
class ChaosIT {

  private static final int TIMES = 9;

  /** What jobs need to speak to S3. */
  private static String s3Jars() throws Exception {
    List<String> jars = new ArrayList<>();
    for (Class<?> of :
        List.of(S3AFileSystem.class, Class.forName("com.amazonaws.services.s3.AmazonS3"))) {
      jars.add(Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    return String.join(",", jars);
  }

  @Test
  void whateverIsKilledOrHeldUpOnWhateverStoreRunsEndAsIfNothingHadHappened(
      @TempDir Path folder, TestStores.All all) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Chaos.class.getName()));
    command.addAll(List.of("--project", "../..", "--times", String.valueOf(TIMES)));
    for (TestStore store : all.stores()) {
      command.addAll(List.of("--root", store.root() + "/chaos"));
    }
    command.addAll(List.of("--conf", "spark.jars=" + s3Jars()));
    all.spark().forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    Path log = folder.resolve("log");
    ProcessBuilder chaos = new ProcessBuilder(command).redirectErrorStream(true);
    chaos.environment().keySet().removeAll(List.of("SPARK_HOME", "SPARK_CONF_DIR"));
    int code = chaos.redirectOutput(log.toFile()).start().waitFor();
    String said = Files.readString(log);
    assertThat(code).as(said).isZero();
    try (Stream<String> lines = said.lines()) {
      assertThat(lines.filter(line -> line.matches(TIMES + " of " + TIMES + ": .*")))
          .as(said)
          .hasSize(1);
    }
    assertThat(said.lines().filter(line -> line.endsWith(" is as if nothing had happened")).count())
        .as(said)
        .isGreaterThanOrEqualTo(all.stores().size());
  }
}
