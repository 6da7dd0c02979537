package org.vstar.spark.launch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.sql.RunCatalog;
import org.vstar.spark.sql.VStarExtensions;
import org.vstar.spark.store.Store;

/** The options with which Spark's SQL knows runs. */
final class RunsCatalog {

  private static final String CATALOG = "spark.sql.catalog.runs";

  private RunsCatalog() {}

  /**
   * The options.
   *
   * @param root the folder that has the runs
   * @param run the one that sessions begin in; without one they begin where JDBC clients expect to,
   *     in Spark's own database {@code default}
   * @param scratch a folder for Hive's own things
   */
  static List<String> options(
      Submission submission, String root, Optional<String> run, Path scratch) {
    Installation installation = submission.installation();
    List<Path> jars = new ArrayList<>(List.of(installation.jobs()));
    jars.addAll(installation.libraries());
    List<String> words = new ArrayList<>();
    words.addAll(List.of(SparkOptions.JARS, submission.spark().jarsBehind(jars)));
    words.addAll(List.of("--driver-class-path", Installation.path(jars)));
    words.addAll(submission.defaults());
    words.addAll(Submission.conf("spark.hadoop.parquet.page.verify-checksum.enabled", "true"));
    words.addAll(Submission.conf("spark.sql.parquet.filterPushdown", "false"));
    words.addAll(Submission.conf("spark.sql.extensions", VStarExtensions.class.getName()));
    words.addAll(Submission.conf(CATALOG, RunCatalog.class.getName()));
    words.addAll(Submission.conf(CATALOG + ".root", root));
    words.addAll(Submission.conf("spark.sql.catalogImplementation", "in-memory"));
    words.addAll(
        Submission.conf(
            "spark.hadoop.javax.jdo.option.ConnectionURL", "jdbc:derby:memory:vstar;create=true"));
    words.addAll(
        Submission.conf(
            "spark.driver.extraJavaOptions",
            Installation.quoted("-Dderby.stream.error.file=" + scratch.resolve("derby.log"))));
    words.addAll(
        Submission.conf("spark.sql.warehouse.dir", scratch.resolve("warehouse").toString()));
    run.ifPresent(
        name -> {
          words.addAll(Submission.conf("spark.sql.defaultCatalog", "runs"));
          words.addAll(Submission.conf(CATALOG + ".run", name));
        });
    return words;
  }

  /**
   * What an option names: a URI, or a folder of this machine from its root.
   *
   * @throws InvalidInputException if it is a folder of this machine that is not there
   */
  static String place(String option, String place) {
    boolean here = place.startsWith("file:");
    if (Store.isUri(place) && !here) {
      return place.replaceAll("/+\\z", "");
    }
    Path folder = Path.of(here ? "/" + place.substring(5).replaceAll("\\A/+", "") : place);
    if (!Files.isDirectory(folder)) {
      throw new InvalidInputException(option + " is '" + place + "', and there is no such folder");
    }
    return folder.toAbsolutePath().normalize().toString();
  }
}
