package org.vstar.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code submit/thrift} in a process of its own, and clients of it that know nothing of Vstar. */
record ThriftServer(int port, Process process, Path log) implements AutoCloseable {

  /**
   * Starts one.
   *
   * @param folder where its log goes
   * @param root the folder of runs, in it
   */
  static ThriftServer start(Path folder, String root, Map<String, String> environment)
      throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Path log = folder.resolve("thrift.log");
    ProcessBuilder command =
        SubmitCommand.process(
            SubmitCommand.PROJECT, folder, "thrift", "--root", root, "--port", port + "");
    command.environment().putAll(environment);
    command.redirectErrorStream(true).redirectOutput(log.toFile());
    return new ThriftServer(port, command.start(), log);
  }

  /** Connects as soon as it listens. */
  Connection connect() throws Exception {
    while (true) {
      try {
        return DriverManager.getConnection("jdbc:hive2://127.0.0.1:" + port + "/", "someone", "");
      } catch (SQLException e) {
        assertThat(e.getMessage()).as(Files.readString(log)).contains("Connection refused");
        assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
        Thread.sleep(200);
      }
    }
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
  }
}
