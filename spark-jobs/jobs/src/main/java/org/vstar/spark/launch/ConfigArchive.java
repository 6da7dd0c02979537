package org.vstar.spark.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.run.RemoteConfig;

/**
 * A config of this machine, with the configs that it includes and the files that it names, packed
 * for a driver that the cluster starts. Spark unpacks it in the driver's working folder.
 *
 * @param file the archive, which the driver's end does not delete
 * @param config where the driver finds the config
 */
record ConfigArchive(Path file, String config) {

  /** The folder that Spark unpacks it into. */
  static final String FOLDER = "vstar-config";

  /** Catalogues fit; a model's weights belong on a store. */
  private static final long MOST_BYTES = 256L << 20;

  /**
   * Packs a config.
   *
   * @param config its file
   * @param settings dotted keys and values of the command line, which may name files too
   * @param leftOut dotted keys whose files the job does not read
   * @throws InvalidInputException if the files are too large to go along
   */
  static ConfigArchive of(Path config, Map<String, String> settings, Set<String> leftOut) {
    RemoteConfig.Copy copy = RemoteConfig.copy(config, settings, leftOut, MOST_BYTES);
    try {
      List<Path> files;
      try (Stream<Path> all = Files.walk(copy.root())) {
        files = all.filter(Files::isRegularFile).sorted().toList();
      }
      Path top = files.get(0).getParent();
      for (Path each : files) {
        while (!each.startsWith(top)) {
          top = top.getParent();
        }
      }
      Path archive = Files.createTempFile("vstar-config-", ".zip");
      try (OutputStream out = Files.newOutputStream(archive);
          ZipOutputStream zip = new ZipOutputStream(out)) {
        for (Path each : files) {
          zip.putNextEntry(new ZipEntry(top.relativize(each).toString()));
          Files.copy(each, zip);
        }
      }
      return new ConfigArchive(archive, FOLDER + "/" + top.relativize(copy.config()));
    } catch (IOException e) {
      throw InvalidInputException.cannot("pack " + config, e);
    }
  }
}
