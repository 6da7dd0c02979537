package org.vstar;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.io.ObjectInputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.text.DecimalFormat;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.vstar.common.Seeds;

/** The arrows between rooms and modules: each room uses only rooms of the lines above its own. */
class ArchitectureTest {

  /**
   * Rooms below {@code org.vstar}, from the bottom up; those of one line do not know one another.
   */
  private static final List<String> ROOMS =
      List.of(
          // env/api
          "common",
          "env.python",
          "env",
          // env/games, env/shops
          "env.ragen env.shopping",
          "env.bandit env.countdown env.frozenlake env.sokoban",
          "env.webshop.catalog",
          "env.webshop.goal",
          "env.webshop.reward",
          "env.webshop.simulator",
          "env.webshop.dialogue",
          "env.webshop.agent",
          "env.webshop env.webshoplite",
          "env.webshop.site",
          // model/core, and the add-ons
          "model.engine",
          "model.kernels",
          "model.weights",
          "model.engine.vector",
          "model.engine.libtorch model.engine.nd4j model.value model.tokenizer",
          "model.chat",
          "model.chat.jinja model.policy",
          "model.checkpoint model.rollout",
          "model.gguf",
          "model.advantage",
          "model.objective",
          "model.train",
          "model.imitation",
          "model.imitation.dl4j",
          // spark-jobs/jobs
          "spark.console",
          "spark.store spark.tracking spark.catalyst",
          "spark.table spark.rollout spark.score spark.adaptive",
          "spark.iceberg",
          "spark.run",
          "spark.report spark.measure",
          "spark.warmstart spark.value spark.train spark.evaluate spark.sql spark.cli",
          "spark.quickstart spark.study",
          "spark.launch",
          // spark-jobs/instruments
          "spark.bench",
          "spark.soak spark.fuzz spark.chaos",
          "spark.docs");

  /** Rooms that only those who name them may know: they are found by ServiceLoader. */
  private static final String[] FOUND = {
    "org.vstar.env.bandit..",
    "org.vstar.env.countdown..",
    "org.vstar.env.frozenlake..",
    "org.vstar.env.ragen..",
    "org.vstar.env.sokoban..",
    "org.vstar.env.shopping..",
    "org.vstar.env.webshop..",
    "org.vstar.env.webshoplite..",
    "org.vstar.model.engine.vector..",
    "org.vstar.model.engine.libtorch..",
    "org.vstar.model.engine.nd4j..",
    "org.vstar.model.chat.jinja..",
    "org.vstar.model.imitation.dl4j.."
  };

  private static final String[] INSTRUMENTS = {
    "org.vstar.spark.bench..",
    "org.vstar.spark.soak..",
    "org.vstar.spark.fuzz..",
    "org.vstar.spark.chaos..",
    "org.vstar.spark.docs.."
  };

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          // Tests of the jobs' module come as a jar, which the option above takes for a library.
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("org.vstar");

  private static ArchRule arrowsPointDown(List<String> lines) {
    LayeredArchitecture rooms = layeredArchitecture().consideringOnlyDependenciesInLayers();
    for (String room : String.join(" ", lines).split(" ")) {
      rooms = rooms.layer(room).definedBy("org.vstar." + room);
    }
    for (int i = 0; i < lines.size(); i++) {
      List<String> higher = lines.subList(i + 1, lines.size());
      for (String room : lines.get(i).split(" ")) {
        rooms =
            higher.isEmpty()
                ? rooms.whereLayer(room).mayNotBeAccessedByAnyLayer()
                : rooms
                    .whereLayer(room)
                    .mayOnlyBeAccessedByLayers(String.join(" ", higher).split(" "));
      }
    }
    return rooms;
  }

  @Test
  void arrowsBetweenRoomsAndModulesPointDown() {
    arrowsPointDown(ROOMS).check(CLASSES);
  }

  @Test
  void theRuleSeesAnArrowThatPointsUp() {
    List<String> swapped = new ArrayList<>(ROOMS);
    Collections.swap(swapped, ROOMS.indexOf("model.advantage"), ROOMS.indexOf("model.objective"));
    assertThatThrownBy(() -> arrowsPointDown(swapped).check(CLASSES))
        .hasMessageContaining("org.vstar.model.objective.AStarPoRegression")
        .hasMessageContaining("org.vstar.model.advantage.ValueBaseline");
  }

  @Test
  void everyRoomIsNamedAndEveryNameIsARoom() {
    Set<String> found =
        CLASSES.stream()
            .filter(c -> !c.getSimpleName().equals("package-info"))
            .map(c -> c.getPackageName().substring("org.vstar.".length()))
            .collect(Collectors.toSet());
    assertThat(found).containsExactlyInAnyOrder(String.join(" ", ROOMS).split(" "));
  }

  @Test
  void thereAreNoCircles() {
    slices().matching("org.vstar.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  /** Who can hand over such a file runs what they like; Spark's own messages are its affair. */
  @Test
  void nobodyReadsSerializedObjects() {
    noClasses()
        .should()
        .callMethod(ObjectInputStream.class, "readObject")
        .orShould()
        .callMethod(ObjectInputStream.class, "readUnshared")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("org.apache.commons.lang3.SerializationUtils")
        .check(CLASSES);
  }

  /** A barrier waits for all executors at once, which a cluster that gives and takes has not. */
  @Test
  void noStageIsABarrier() {
    noClasses().should().callMethodWhere(target(name("barrier"))).check(CLASSES);
  }

  @Test
  void onlyTheJobsAndDeeplearning4jsTrainingKnowSpark() {
    noClasses()
        .that()
        .resideInAnyPackage("org.vstar.common..", "org.vstar.env..", "org.vstar.model..")
        .and()
        .resideOutsideOfPackage("org.vstar.model.imitation.dl4j..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.apache.spark..", "org.apache.hadoop..", "picocli..")
        .check(CLASSES);
  }

  /** What a module weighs is what its users pay. */
  @Test
  void onlyTheirAddOnsKnowDeeplearning4jNd4jAndLibTorch() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "org.vstar.model.imitation.dl4j..",
            "org.vstar.model.engine.nd4j..",
            "org.vstar.model.engine.libtorch..",
            "org.vstar.spark.bench..",
            "org.vstar.spark.soak..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.nd4j..", "org.deeplearning4j..", "org.bytedeco..")
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAnyPackage("org.vstar.common..", "org.vstar.env..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("ai.djl..")
        .check(CLASSES);
  }

  /** Whoever writes an environment compiles against Jackson and nothing else. */
  @Test
  void whatAnEnvironmentPromisesNeedsJacksonAlone() {
    noClasses()
        .that()
        .resideInAnyPackage("org.vstar.common..", "org.vstar.env", "org.vstar.env.python..")
        .should()
        .dependOnClassesThat(
            resideOutsideOfPackages(
                "java..",
                "jdk.jfr..",
                "com.fasterxml.jackson..",
                "org.yaml.snakeyaml..",
                "org.vstar.common..",
                "org.vstar.env",
                "org.vstar.env.python.."))
        .check(CLASSES);
  }

  @Test
  void theJobsNameNoEnvironmentAndNoEngine() {
    noClasses()
        .that()
        .resideInAPackage("org.vstar.spark..")
        .and()
        .resideOutsideOfPackages(INSTRUMENTS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(FOUND)
        .check(CLASSES);
  }

  @Test
  void theJobsKnowNoInstrument() {
    noClasses()
        .that()
        .resideOutsideOfPackages(INSTRUMENTS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(INSTRUMENTS)
        .check(CLASSES);
  }

  @Test
  void noEngineKnowsAnother() {
    slices()
        .matching("org.vstar.model.engine.(*)..")
        .should()
        .notDependOnEachOther()
        .check(CLASSES);
  }

  /** Instruments have streams of their own; the catalogues' generators write files that stay. */
  @Test
  void everyStreamOfRandomNumbersIsOpenedInOnePlace() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(Seeds.class.getName())
        .and()
        .haveSimpleNameNotEndingWith("Soak")
        .and()
        .doNotHaveSimpleName("CatalogueGenerator")
        .and()
        .doNotHaveSimpleName("MiniCatalogue")
        .and()
        .resideOutsideOfPackages("..bench..", "..fuzz..", "..chaos..")
        .should()
        .callConstructorWhere(
            target(owner(assignableTo(RandomGenerator.class)))
                .and(not(target(owner(assignableTo(SecureRandom.class))))))
        .orShould()
        .callMethod(Math.class, "random")
        .orShould()
        .callMethod(ThreadLocalRandom.class, "current")
        .check(CLASSES);
  }

  /** The launcher keeps what libraries print out of its plan. */
  @Test
  void commandsSpeakThroughTheConsoleAndWarnThroughTheLog() {
    noClasses()
        .that()
        .resideInAnyPackage("org.vstar.model..", "org.vstar.spark..")
        .and()
        .resideOutsideOfPackages(INSTRUMENTS)
        .and()
        .resideOutsideOfPackage("org.vstar.spark.console..")
        .and()
        .doNotHaveSimpleName("Launcher")
        .should(ACCESS_STANDARD_STREAMS)
        .check(CLASSES);
  }

  /** A number or a word is the same on every machine: names of files are made of them. */
  @Test
  void noNumberAndNoWordIsWrittenInTheWayOfTheMachinesLocale() {
    noClasses()
        .should()
        .callMethod(String.class, "format", String.class, Object[].class)
        .orShould()
        .callMethod(String.class, "formatted", Object[].class)
        .orShould()
        .callMethod(PrintStream.class, "printf", String.class, Object[].class)
        .orShould()
        .callMethod(PrintStream.class, "format", String.class, Object[].class)
        .orShould()
        .callMethod(PrintWriter.class, "printf", String.class, Object[].class)
        .orShould()
        .callMethod(String.class, "toLowerCase")
        .orShould()
        .callMethod(String.class, "toUpperCase")
        .orShould()
        .callConstructor(DecimalFormat.class, String.class)
        .orShould()
        .callConstructor(SimpleDateFormat.class, String.class)
        .check(CLASSES);
  }
}
