package org.vstar.spark.launch;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** How Spark's Thrift server is started over runs. */
@Command(
    name = "thrift",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = {
      "Spark's Thrift server over the runs of a folder, for JDBC and ODBC clients:"
          + " jdbc:hive2://HOST:PORT/",
      "It asks for no password, and who reaches it may do all that your account may (SQL can write"
          + " files and load jars): it is for a machine of your own, and --host only for a network"
          + " of people whom you trust with your account."
    })
final class ThriftLaunch {

  private static final int SYSTEM_PORTS = 1024;
  private static final int MOST = 65535;
  private static final int CONNECT_MILLIS = 1000;

  @Option(
      names = "--root",
      paramLabel = "DIR",
      defaultValue = "out",
      description = "the folder that has the runs (default: ${DEFAULT-VALUE})")
  private String root;

  @Option(
      names = "--host",
      defaultValue = "127.0.0.1",
      description = "address to listen at (default: ${DEFAULT-VALUE})")
  private String host;

  @Option(
      names = "--port",
      defaultValue = "10000",
      description = "port to listen at (default: ${DEFAULT-VALUE})")
  private int port;

  private final Installation installation;
  private final Path scratch;

  ThriftLaunch(Installation installation, Path scratch) {
    this.installation = installation;
    this.scratch = scratch;
  }

  /** The command as a person types it. */
  CommandLine commandLine() {
    return SparkOptions.commandLine(this);
  }

  /** What is to be run. */
  Plan plan(List<String> arguments) {
    SparkOptions spark = SparkOptions.of(commandLine().parseArgs(arguments.toArray(String[]::new)));
    requireFree();
    Submission submission = Submission.of(installation, spark);
    List<String> words = new ArrayList<>(List.of(submission.script()));
    words.addAll(
        RunsCatalog.options(
            submission, RunsCatalog.place("--root", root), Optional.empty(), scratch));
    words.addAll(spark.words(List.of(SparkOptions.JARS)));
    words.addAll(
        List.of(
            "--class",
            "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
            "spark-internal"));
    for (String setting :
        List.of(
            "hive.server2.thrift.bind.host=" + host,
            "hive.server2.thrift.port=" + port,
            "hive.exec.local.scratchdir=" + scratch.resolve("local"),
            "hive.exec.scratchdir=" + scratch.resolve("hive"),
            "hive.server2.logging.operation.enabled=false")) {
      words.addAll(List.of("--hiveconf", setting));
    }
    return new Plan.Run(submission.environment(), words);
  }

  private void requireFree() {
    if (host.isEmpty()) {
      throw new InvalidInputException("--host is empty, expected an address of this machine");
    }
    if (port < 1 || port > MOST) {
      throw new InvalidInputException("--port is '" + port + "', expected 1 to " + MOST);
    }
    String asked = host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    try (Socket other = new Socket()) {
      other.connect(new InetSocketAddress(asked, port), CONNECT_MILLIS);
    } catch (IOException e) {
      if (port < SYSTEM_PORTS && !"root".equals(System.getProperty("user.name"))) {
        throw new InvalidInputException(
            "--port " + port + " is one of the system's, expected 1024 to " + MOST, e);
      }
      return;
    }
    throw new InvalidInputException(
        "--port "
            + port
            + " is taken on "
            + host
            + ": another program listens there; --port names another");
  }
}
