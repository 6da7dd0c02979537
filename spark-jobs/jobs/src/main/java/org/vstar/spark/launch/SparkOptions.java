package org.vstar.spark.launch;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The options of {@code spark-submit} on a command line: <a
 * href="https://spark.apache.org/docs/3.5.4/submitting-applications.html">Submitting
 * Applications</a>.
 *
 * @param values of options that have values, in the order of the command line
 * @param flags options without a value
 */
record SparkOptions(Map<String, List<String>> values, List<String> flags) {

  static final String MASTER = "--master";
  static final String DEPLOY_MODE = "--deploy-mode";
  static final String CONF = "--conf";
  static final String JARS = "--jars";
  static final String ARCHIVES = "--archives";
  static final String JAVA_OPTIONS = "--driver-java-options";
  static final String DRIVER_MEMORY = "--driver-memory";

  private static final String PROPERTIES_FILE = "--properties-file";
  private static final List<String> MEMORY = List.of(DRIVER_MEMORY, "--executor-memory");

  private static final List<String> WITH_VALUE =
      List.of(
          MASTER,
          DEPLOY_MODE,
          CONF,
          JARS,
          ARCHIVES,
          JAVA_OPTIONS,
          PROPERTIES_FILE,
          MEMORY.get(0),
          MEMORY.get(1),
          "--name",
          "--packages",
          "--exclude-packages",
          "--repositories",
          "--py-files",
          "--files",
          "--driver-library-path",
          "--driver-class-path",
          "--proxy-user",
          "--driver-cores",
          "--executor-cores",
          "--total-executor-cores",
          "--num-executors",
          "--queue",
          "--principal",
          "--keytab");

  private static final List<String> FLAGS = List.of("--verbose", "--supervise");

  private static final Map<String, String> SHORT = Map.of(CONF, "-c", FLAGS.get(0), "-v");

  private static final Pattern SIZE = Pattern.compile("[0-9]+[kKmMgGtT]?[bB]?");
  private static final Pattern KNOWN_MASTER =
      Pattern.compile("local|local\\[.*|local-cluster\\[.*|(spark|k8s|mesos)://.*|yarn");

  /** The options, to be added to a command's own; its help leaves them to Spark's. */
  static CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    for (String name : WITH_VALUE) {
      spec.addOption(option(name).type(List.class).auxiliaryTypes(String.class).arity("1").build());
    }
    for (String name : FLAGS) {
      spec.addOption(option(name).type(boolean.class).arity("0").build());
    }
    return spec;
  }

  /** Whether an option is Spark's. */
  static boolean has(String name) {
    return WITH_VALUE.contains(name) || FLAGS.contains(name);
  }

  /** A command as a person types it, which takes these options too. */
  static CommandLine commandLine(Object command) {
    CommandLine line = JobContext.commandLine(command);
    line.getCommandSpec().addMixin("spark", spec());
    return line;
  }

  private static OptionSpec.Builder option(String name) {
    String[] names = SHORT.containsKey(name) ? new String[] {SHORT.get(name), name} : null;
    return OptionSpec.builder(name, names == null ? new String[0] : names)
        .paramLabel("VALUE")
        .hidden(true);
  }

  /**
   * Those of a command line.
   *
   * @throws InvalidInputException naming the first whose value Spark would not understand
   */
  static SparkOptions of(ParseResult parsed) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    List<String> flags = new ArrayList<>();
    for (OptionSpec option : parsed.matchedOptions()) {
      String name = option.longestName();
      if (FLAGS.contains(name)) {
        flags.add(name);
      } else if (WITH_VALUE.contains(name)) {
        values.put(name, List.copyOf(option.stringValues()));
      }
    }
    return new SparkOptions(values, flags).checked();
  }

  private SparkOptions checked() {
    for (String name : MEMORY) {
      for (String size : all(name)) {
        require(SIZE.matcher(size).matches(), name, size, "a size such as 4g");
      }
    }
    for (String master : all(MASTER)) {
      require(
          KNOWN_MASTER.matcher(master).matches(),
          MASTER,
          master,
          "local[N], spark://HOST:PORT, yarn or k8s://URL");
    }
    for (String mode : all(DEPLOY_MODE)) {
      require(mode.matches("client|cluster"), DEPLOY_MODE, mode, "client or cluster");
    }
    for (String setting : all(CONF)) {
      require(setting.indexOf('=') > 0, CONF, setting, "KEY=VALUE");
    }
    for (String jar : jars()) {
      if (!jar.contains(":/") && !Files.exists(Path.of(jar))) {
        throw new InvalidInputException("--jars: " + jar + " does not exist");
      }
    }
    return this;
  }

  private static void require(boolean holds, String name, String value, String expected) {
    if (!holds) {
      throw new InvalidInputException(name + " is '" + value + "', expected " + expected);
    }
  }

  /** All values of an option. */
  List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  /** The value of an option that counts: the last. */
  Optional<String> last(String name) {
    List<String> all = all(name);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
  }

  /** Jars of Vstar's and behind them the user's own, as URIs joined by commas. */
  String jarsBehind(List<Path> jars) {
    List<String> uris = new ArrayList<>(List.of(Installation.uris(jars)));
    for (String jar : jars()) {
      uris.add(jar.contains(":/") ? jar : Installation.uri(Path.of(jar)));
    }
    return String.join(",", uris);
  }

  /** The user's own jars, one by one. */
  private List<String> jars() {
    return all(JARS).stream().flatMap(list -> List.of(list.split(",")).stream()).toList();
  }

  /** What {@code --conf} says of a key. */
  Optional<String> setting(String key) {
    String prefix = key + "=";
    return all(CONF).stream()
        .filter(setting -> setting.startsWith(prefix))
        .map(setting -> setting.substring(prefix.length()))
        .reduce((first, second) -> second);
  }

  /**
   * What holds for a key of Spark's: of the command line, of a variable, or of its file of
   * defaults.
   */
  Optional<String> effective(
      String option, String key, String variable, Installation installation) {
    return last(option)
        .or(() -> setting(key))
        .or(() -> installation.variable(variable))
        .or(() -> setting(key, installation));
  }

  /** What {@code --conf} or the file of defaults says of a key. */
  Optional<String> effective(String key, Installation installation) {
    return setting(key).or(() -> setting(key, installation));
  }

  private Optional<String> setting(String key, Installation installation) {
    Path file =
        last(PROPERTIES_FILE)
            .map(Path::of)
            .orElse(installation.sparkConf().resolve("spark-defaults.conf"));
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidInputException("cannot read " + file + ": " + e.getMessage(), e);
    }
    return Optional.ofNullable(properties.getProperty(key)).map(String::strip);
  }

  /** The options as words, less those of some names. */
  List<String> words(List<String> without) {
    List<String> words = new ArrayList<>(flags);
    values.forEach(
        (name, all) -> {
          if (!without.contains(name)) {
            all.forEach(value -> words.addAll(List.of(name, value)));
          }
        });
    return words;
  }
}
