package org.vstar.spark.store;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.vstar.spark.TestRun;

/**
 * A real store: a folder of this machine, an HDFS with a name node and two data nodes, or S3A
 * before a server that speaks S3.
 */
public final class TestStore {

  /** Which there are. */
  public enum Kind {
    DISK,
    HDFS,
    S3A
  }

  private static final String LOCK_SECONDS = "spark.hadoop." + Lease.FREE_SECONDS;

  /** The key of the S3, which must never be shown. */
  public static final String SECRET = "a-secret-of-tests";

  private static final String FREE = "12";
  private static final int START_SECONDS = 60;

  private final String root;
  private final Map<String, String> spark;
  private final Closing closing;

  /** Ends what was started. */
  private interface Closing {
    void close() throws IOException;
  }

  private TestStore(String root, Map<String, String> spark, Closing closing) {
    this.root = root;
    this.spark = spark;
    this.closing = closing;
  }

  /**
   * Starts a store.
   *
   * @param folder where it keeps what it has
   */
  public static TestStore start(Kind kind, Path folder) throws IOException {
    return switch (kind) {
      case DISK -> new TestStore(folder.toString(), Map.of(), () -> {});
      case HDFS -> hdfs(folder);
      case S3A -> s3(folder);
    };
  }

  private static TestStore hdfs(Path folder) throws IOException {
    Configuration conf = new Configuration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
    MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf).numDataNodes(2).build();
    cluster.waitActive();
    // As on a cluster of Hadoop's: its HDFS is what a path without a host means.
    return new TestStore(
        "hdfs:///runs",
        Map.of(
            "spark.hadoop.fs.defaultFS",
            cluster.getURI().toString(),
            "spark.hadoop.dfs.replication",
            "2",
            // How long a client waits before it asks again whether a file is complete.
            "spark.hadoop.dfs.client.block.write.locateFollowingBlock.initial.delay.ms",
            "10",
            LOCK_SECONDS,
            FREE),
        () -> cluster.shutdown(true));
  }

  private static TestStore s3(Path folder) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    // Hadoop keeps clients by the bucket's name, and this process may have had another server.
    String bucket = "bucket-" + port;
    Files.createDirectories(folder.resolve("data").resolve(bucket));
    String endpoint = "http://127.0.0.1:" + port;
    Path properties =
        Files.writeString(
            folder.resolve("s3proxy.properties"),
            String.join(
                "\n",
                "s3proxy.authorization=aws-v2-or-v4",
                "s3proxy.identity=tester",
                "s3proxy.credential=" + SECRET,
                "s3proxy.endpoint=" + endpoint,
                "jclouds.provider=filesystem-nio2",
                "jclouds.identity=tester",
                "jclouds.credential=" + SECRET,
                "jclouds.filesystem.basedir=" + folder.resolve("data")));
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-jar",
                Path.of("../jobs/target/s3proxy/s3proxy.jar").toAbsolutePath().toString(),
                "--properties",
                properties.toString())
            .redirectErrorStream(true)
            .redirectOutput(new File(folder.toFile(), "s3proxy.log"))
            .start();
    await(server, port, folder.resolve("s3proxy.log"));
    Map<String, String> spark = new LinkedHashMap<>();
    spark.put(LOCK_SECONDS, FREE);
    spark.put("spark.hadoop.fs.s3a.endpoint", endpoint);
    spark.put("spark.hadoop.fs.s3a.access.key", "tester");
    spark.put("spark.hadoop.fs.s3a.secret.key", SECRET);
    spark.put("spark.hadoop.fs.s3a.path.style.access", "true");
    spark.put("spark.hadoop.fs.s3a.connection.ssl.enabled", "false");
    // This server cannot delete the marker of a folder that has something in it.
    spark.put("spark.hadoop.fs.s3a.directory.marker.retention", "keep");
    spark.put("spark.hadoop.fs.s3a.multipart.size", "5M");
    spark.put("spark.hadoop.fs.s3a.attempts.maximum", "1");
    spark.put("spark.hadoop.fs.s3a.retry.limit", "1");
    return new TestStore(
        "s3a://" + bucket + "/runs", spark, () -> server.destroyForcibly().onExit().join());
  }

  private static void await(Process server, int port, Path log) throws IOException {
    long end = System.nanoTime() + START_SECONDS * 1_000_000_000L;
    while (System.nanoTime() < end && server.isAlive()) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
        return;
      } catch (IOException e) {
        Thread.onSpinWait();
      }
    }
    throw new IOException("s3proxy did not start: " + Files.readAllLines(log));
  }

  /** A folder on the store. */
  public String root() {
    return root;
  }

  /** What Spark has to be told of it. */
  public Map<String, String> spark() {
    return spark;
  }

  /** All stores, started. */
  public static List<TestStore> all(Path folder) throws IOException {
    List<TestStore> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      if (kind == Kind.S3A && TestRun.SPARK4) {
        // Its SDK of Amazon's is 600 MB in one jar, which nothing here lays out.
        continue;
      }
      all.add(start(kind, Files.createDirectories(folder.resolve(kind.name()))));
    }
    return all;
  }

  /** Ends it. */
  public void stop() throws IOException {
    closing.close();
  }

  @Override
  public String toString() {
    return root;
  }
}
