package org.vstar.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What whoever writes an environment has to download. */
class DependenciesTest {

  /** What the tests themselves bring. */
  private static final Set<String> OF_TESTS =
      Set.of("apiguardian-api", "assertj-core", "byte-buddy", "opentest4j");

  private static boolean isOfTests(String jar) {
    return OF_TESTS.contains(jar)
        || jar.startsWith("junit-")
        || jar.startsWith("surefire-")
        || jar.startsWith("common-");
  }

  @Test
  void anEnvironmentNeedsJacksonAndNothingElse() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Set<String> jars =
        Stream.of(path.split(File.pathSeparator))
            .map(entry -> Path.of(entry).getFileName().toString())
            .filter(name -> name.endsWith(".jar"))
            .map(name -> name.replaceFirst("-[0-9][^/]*\\.jar", ""))
            .filter(jar -> !isOfTests(jar))
            .collect(Collectors.toSet());
    assertThat(jars)
        .containsExactlyInAnyOrder(
            "jackson-annotations",
            "jackson-core",
            "jackson-databind",
            "jackson-dataformat-yaml",
            "snakeyaml");
  }
}
