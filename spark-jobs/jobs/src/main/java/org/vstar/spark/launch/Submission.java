package org.vstar.spark.launch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a driver runs, and the options that Spark gets for it.
 *
 * @param installation what it runs from
 * @param spark the options of the command line
 * @param master Spark's master, if anything names one
 * @param cluster whether the driver runs on the cluster
 */
record Submission(
    Installation installation, SparkOptions spark, Optional<String> master, boolean cluster) {

  private static final String LOOPBACK = "127.0.0.1";
  private static final String JAVA_OPTIONS = "spark.driver.extraJavaOptions";

  /**
   * The packages that Spark needs opened on Java 17, as its own {@code JavaModuleOptions} has it.
   */
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.lang.invoke",
          "java.lang.reflect",
          "java.io",
          "java.net",
          "java.nio",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "jdk.internal.ref",
          "sun.nio.ch",
          "sun.nio.cs",
          "sun.security.action",
          "sun.util.calendar");

  /**
   * glibc's heaps, by default eight a core. What a thread's heap has freed no other takes, so
   * tensors that come and go in several threads would occupy up to three times the memory they
   * need.
   */
  private static final String ARENAS = "MALLOC_ARENA_MAX";

  static Submission of(Installation installation, SparkOptions spark) {
    Optional<String> master =
        spark.effective(SparkOptions.MASTER, "spark.master", "MASTER", installation);
    Optional<String> mode =
        spark.effective(
            SparkOptions.DEPLOY_MODE, "spark.submit.deployMode", "DEPLOY_MODE", installation);
    return new Submission(installation, spark, master, mode.orElse("client").equals("cluster"));
  }

  /** Whether a standalone cluster starts the driver. */
  boolean standaloneCluster() {
    return cluster && master.orElse("").startsWith("spark:");
  }

  boolean master(String prefix) {
    return master.orElse("").startsWith(prefix);
  }

  /** The environment of a job; engines that are add-ons allocate natively. */
  Map<String, String> environment(List<String> addons) {
    Map<String, String> environment = new HashMap<>(environment());
    if (!addons.isEmpty() && installation.variable(ARENAS).isEmpty()) {
      environment.put(ARENAS, "1");
    }
    return environment;
  }

  /** What {@link #environment(List)} says, for the processes that Spark starts elsewhere. */
  List<String> allocation(List<String> addons) {
    List<String> words = new ArrayList<>();
    String own = installation.variable(ARENAS).orElse("1");
    for (String place :
        List.of("spark.executorEnv.", "spark.yarn.appMasterEnv.", "spark.kubernetes.driverEnv.")) {
      if (!addons.isEmpty() && spark.effective(place + ARENAS, installation).isEmpty()) {
        words.addAll(conf(place + ARENAS, own));
      }
    }
    return words;
  }

  /** A Spark of this machine alone shows its pages to this machine alone. */
  Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    String where = master.orElse("local");
    boolean here = where.equals("local") || where.startsWith("local[");
    if (here && installation.variable("SPARK_LOCAL_IP").isEmpty()) {
      environment.put("SPARK_LOCAL_IP", LOOPBACK);
    }
    return environment;
  }

  /** What {@code conf/spark-defaults.conf} would have said, where another configuration holds. */
  List<String> defaults() {
    if (installation.usersSpark().isEmpty() && installation.variable("SPARK_CONF_DIR").isEmpty()) {
      return List.of();
    }
    Path conf = installation.sparkConf();
    String options = installation.javaOptions();
    List<String> words = new ArrayList<>();
    words.addAll(conf("spark.executor.defaultJavaOptions", options));
    if (!Files.exists(conf.resolve("log4j2.properties"))
        && Stream.of("xml", "yaml", "json")
            .noneMatch(e -> Files.exists(conf.resolve("log4j2." + e)))) {
      options = options + " " + installation.logging();
      if (spark.effective("spark.ui.showConsoleProgress", installation).isEmpty()) {
        words.addAll(conf("spark.ui.showConsoleProgress", "false"));
      }
    }
    words.addAll(conf("spark.driver.defaultJavaOptions", options));
    return words;
  }

  /** The jars of Vstar and of add-ons, on all class paths. */
  List<String> jars(List<String> addons) {
    List<Path> foreign = addonJars(addons, false);
    List<String> words = new ArrayList<>();
    // An engine's libraries are newer than what Spark's folder has, so they come first; its own jar
    // needs Vstar's beside it.
    if (installation.usersSpark().isEmpty() && !foreign.isEmpty()) {
      words.addAll(conf("spark.driver.extraClassPath", Installation.path(foreign)));
      words.addAll(conf("spark.executor.extraClassPath", Installation.path(foreign)));
    }
    words.addAll(List.of(SparkOptions.JARS, spark.jarsBehind(shipped(addons))));
    return words;
  }

  /** Those of them that Spark is told to send along. */
  List<Path> shipped(List<String> addons) {
    List<Path> shipped = new ArrayList<>();
    if (installation.usersSpark().isPresent()) {
      shipped.addAll(addonJars(addons, false));
    }
    shipped.addAll(addonJars(addons, true));
    shipped.addAll(installation.libraries());
    return shipped;
  }

  private List<Path> addonJars(List<String> addons, boolean own) {
    return addons.stream()
        .flatMap(addon -> installation.addon(addon).stream())
        .filter(jar -> jar.getFileName().toString().startsWith("vstar-") == own)
        .toList();
  }

  /** A standalone cluster starts a driver without what Spark needs of Java 17. */
  List<String> standaloneDriver() {
    StringBuilder options = new StringBuilder(installation.javaOptions());
    for (String name : OPENED) {
      options.append(" --add-opens=java.base/").append(name).append("=ALL-UNNAMED");
    }
    options.append(" -Djdk.reflect.useDirectMethodHandle=false");
    spark.setting(JAVA_OPTIONS).ifPresent(own -> options.append(' ').append(own));
    spark.last(SparkOptions.JAVA_OPTIONS).ifPresent(own -> options.append(' ').append(own));
    List<String> words = new ArrayList<>(List.of(SparkOptions.JAVA_OPTIONS, options.toString()));
    words.addAll(conf("spark.standalone.submit.waitAppCompletion", "true"));
    return words;
  }

  static List<String> conf(String key, String value) {
    return List.of(SparkOptions.CONF, key + "=" + value);
  }

  /** The script that starts a Spark. */
  String script() {
    return installation.project().resolve("submit/spark-submit").toString();
  }
}
