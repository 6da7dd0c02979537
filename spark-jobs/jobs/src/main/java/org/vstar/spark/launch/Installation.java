package org.vstar.spark.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.vstar.common.InvalidInputException;

/**
 * What commands run from: the jars that a build laid out or a distribution brings, and a Spark.
 *
 * @param project the folder that has {@code submit} and {@code conf}
 * @param jars the jar of the jobs, {@code lib} with what it needs, and a folder for each add-on
 * @param environment the variables of the process
 */
record Installation(Path project, Path jars, Map<String, String> environment) {

  /** The instruments are a module of {@code spark-jobs}; all other add-ons are of {@code model}. */
  static final String INSTRUMENTS = "instruments";

  private static final String CORE = "core";

  /** As the scripts say: {@code VSTAR_PROJECT}, {@code VSTAR_LAYOUT}. */
  static Installation of(Map<String, String> environment) {
    return new Installation(
        Path.of(environment.get("VSTAR_PROJECT")),
        Path.of(environment.get("VSTAR_LAYOUT")),
        environment);
  }

  /** The Spark that the user names, if any. */
  Optional<Path> usersSpark() {
    return variable("SPARK_HOME").map(Path::of);
  }

  /** A variable that is there and not empty. */
  Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** The folder that has {@code spark-defaults.conf}. */
  Path sparkConf() {
    return variable("SPARK_CONF_DIR")
        .map(Path::of)
        .orElseGet(() -> usersSpark().orElse(project).resolve("conf"));
  }

  /** The config of a quickstart that names none. */
  Path quickstart() {
    return project.resolve("conf/webshop-lite.yaml");
  }

  /** The JVM options of all processes that compute. */
  String javaOptions() {
    return environment.get("VSTAR_JAVA_OPTIONS");
  }

  /** The option that sends libraries' messages where Vstar wants them, quoted for Spark. */
  String logging() {
    return quoted("-Dlog4j2.configurationFile=" + project.resolve("conf/log4j2.properties"));
  }

  /** The jar that has the jobs. */
  Path jobs() {
    return jars.resolve("vstar-spark-jobs.jar");
  }

  /** What the jobs need besides Spark: of the Spark that the build laid out, only Vstar's. */
  List<Path> libraries() {
    return list(jars.resolve("lib"), usersSpark().isPresent() ? "*.jar" : "vstar-*.jar");
  }

  /** The jars of an add-on that is there. */
  List<Path> addon(String name) {
    return list(jars.resolve(name), "*.jar");
  }

  /** The jars of Spark itself. */
  Path sparkJars() {
    return usersSpark().orElse(jars.resolve("spark")).resolve("jars");
  }

  /** All of them. */
  List<Path> allSparkJars() {
    return list(sparkJars(), "*.jar");
  }

  /** Whether Spark can speak to YARN: only some distributions have the client. */
  boolean hasYarnClient() {
    return !list(sparkJars(), "spark-yarn_*.jar").isEmpty();
  }

  /** Whether Spark is for Scala 2.13, as Spark 4 is. */
  boolean hasScala213() {
    return !list(sparkJars(), "spark-core_2.13-*.jar").isEmpty();
  }

  /** Whether an add-on's jars are there. */
  boolean has(String addon) {
    return Files.isDirectory(jars.resolve(addon));
  }

  /** Whether there is an add-on of that name, built or not. */
  boolean isAddon(String name) {
    return addons().contains(name);
  }

  /**
   * Refuses names that no add-on has.
   *
   * @throws InvalidInputException naming those that there are
   */
  void requireAddons(Collection<String> names) {
    for (String name : names) {
      if (!isAddon(name)) {
        throw new InvalidInputException("no add-on '" + name + "', there are: " + addons());
      }
    }
  }

  private TreeSet<String> addons() {
    TreeSet<String> names = new TreeSet<>();
    for (Path folder : list(project.resolve("model"), "*")) {
      if (Files.exists(folder.resolve("pom.xml"))) {
        names.add(folder.getFileName().toString());
      }
    }
    for (Path folder : list(jars, "*")) {
      if (!list(folder, "vstar-*.jar").isEmpty() && !folder.endsWith("lib")) {
        names.add(folder.getFileName().toString());
      }
    }
    if (Files.exists(project.resolve("spark-jobs/instruments/pom.xml"))) {
      names.add(INSTRUMENTS);
    }
    names.remove(CORE);
    return names;
  }

  private static List<Path> list(Path folder, String pattern) {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, pattern)) {
        files.forEach(found::add);
      } catch (IOException e) {
        throw InvalidInputException.cannot("list " + folder, e);
      }
    }
    found.sort(null);
    return found;
  }

  /** Files as URIs joined by commas, which Spark's lists can hold whatever their names. */
  static String uris(Collection<Path> files) {
    return files.stream().map(Installation::uri).collect(Collectors.joining(","));
  }

  /** A file as a URI. */
  static String uri(Path file) {
    StringBuilder uri = new StringBuilder("file://");
    for (byte b : file.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8)) {
      if (b > 0 && (Character.isLetterOrDigit(b) || "/._~-".indexOf(b) >= 0)) {
        uri.append((char) b);
      } else {
        uri.append(String.format(Locale.ROOT, "%%%02X", b));
      }
    }
    return uri.toString();
  }

  /** Files as a class path. */
  static String path(Collection<Path> files) {
    return files.stream().map(Path::toString).collect(Collectors.joining(":"));
  }

  /** A JVM option for a line that Spark splits at spaces. */
  static String quoted(String option) {
    return '"' + option.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
