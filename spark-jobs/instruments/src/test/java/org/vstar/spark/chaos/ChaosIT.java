package org.vstar.spark.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.spark.store.TestStore;
import org.vstar.spark.store.TestStores;

/** Real processes, killed at random moments. */
@ExtendWith(TestStores.class)
class ChaosIT {

  private static final int TIMES = 3;

  @TempDir private Path folder;

  /** What jobs need to speak to S3. */
  private static String s3Jars() throws Exception {
    List<String> jars = new ArrayList<>();
    for (Class<?> of :
        List.of(S3AFileSystem.class, Class.forName("com.amazonaws.services.s3.AmazonS3"))) {
      jars.add(Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
    }
    return String.join(",", jars);
  }

  /** Most of the time chaos waits, for what was killed to be missed: one for each store. */
  @Test
  void whateverIsKilledOrHeldUpOnWhateverStoreRunsEndAsIfNothingHadHappened(TestStores.All all)
      throws Exception {
    String jars = s3Jars();
    Map<Process, Path> running = new LinkedHashMap<>();
    try {
      for (TestStore store : all.stores()) {
        int number = running.size() + 1;
        Path log = folder.resolve("log" + number);
        running.put(start(all, store, number, jars, log), log);
      }
      for (Map.Entry<Process, Path> chaos : running.entrySet()) {
        int code = chaos.getKey().waitFor();
        String said = Files.readString(chaos.getValue());
        assertThat(code).as(said).isZero();
        assertThat(said.lines())
            .as(said)
            .anyMatch(line -> line.matches(TIMES + " of " + TIMES + ": .*"))
            .anyMatch(line -> line.endsWith(" is as if nothing had happened"));
      }
    } finally {
      running.keySet().forEach(Process::destroy);
    }
  }

  private static Process start(TestStores.All all, TestStore store, int seed, String jars, Path log)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Chaos.class.getName()));
    command.addAll(List.of("--project", "../..", "--times", String.valueOf(TIMES)));
    command.addAll(List.of("--seed", String.valueOf(seed), "--root", store.root() + "/chaos"));
    command.addAll(List.of("--conf", "spark.jars=" + jars));
    all.spark().forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    ProcessBuilder chaos = new ProcessBuilder(command).redirectErrorStream(true);
    chaos.environment().keySet().removeAll(List.of("SPARK_HOME", "SPARK_CONF_DIR"));
    return chaos.redirectOutput(log.toFile()).start();
  }
}
