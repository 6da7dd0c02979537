package org.vstar.spark.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.vstar.common.InvalidInputException;

/**
 * What YARN gets of Vstar from this machine for a job; what the user adds comes to it.
 *
 * @param jobs the jars of the jobs, and a config that goes along
 * @param spark Spark's own jars; empty if the cluster has them
 */
record Upload(List<Path> jobs, List<Path> spark) {

  private static final double MEGABYTE = 1e6;

  /** Where Spark's jars are on the cluster: either key. */
  private static final List<String> PLACES = List.of("spark.yarn.jars", "spark.yarn.archive");

  static Upload of(Submission submission, List<String> addons, Optional<ConfigArchive> archive) {
    List<Path> jobs = new ArrayList<>(submission.shipped(addons));
    jobs.add(submission.installation().jobs());
    archive.map(ConfigArchive::file).ifPresent(jobs::add);
    boolean there =
        PLACES.stream()
            .anyMatch(
                key -> submission.spark().effective(key, submission.installation()).isPresent());
    return new Upload(jobs, there ? List.of() : submission.installation().allSparkJars());
  }

  /** How many files, and how large they are together. */
  String line() {
    String own = "YARN gets Vstar's " + size(jobs, "files") + " from this machine";
    return spark.isEmpty()
        ? own
        : own
            + ", and Spark's "
            + size(spark, "jars")
            + ": where a copy of these is on the cluster, name it by "
            + String.join(" or ", PLACES);
  }

  private static String size(List<Path> files, String noun) {
    long bytes = 0;
    for (Path file : files) {
      try {
        bytes += Files.size(file);
      } catch (IOException e) {
        throw InvalidInputException.cannot("read " + file, e);
      }
    }
    return String.format(Locale.ROOT, "%d %s of %.0f MB", files.size(), noun, bytes / MEGABYTE);
  }
}
