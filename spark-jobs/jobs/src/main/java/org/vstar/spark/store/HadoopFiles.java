package org.vstar.spark.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.util.Utils;
import org.vstar.common.AtomicFiles.FileWriter;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;

/** One of Hadoop's file systems, with its odd corners rounded. */
final class HadoopFiles {

  private static final String LOCAL = "file";

  /**
   * What Hadoop's own files set, which are the same as long as this process lives. To find and
   * parse them takes milliseconds, and a job opens stores by the thousand. Never changed, only
   * copied.
   */
  private static final Lazy<Configuration> FILES = new Lazy<>();

  private final FileSystem files;
  private final Backoff tries;

  private HadoopFiles(FileSystem files) {
    this.files = files;
    this.tries = files instanceof LocalFileSystem ? Backoff.ONCE : Backoff.OVER_A_NETWORK;
  }

  /**
   * Opens the file system of a folder.
   *
   * @throws InvalidInputException if no jar knows it
   * @throws UncheckedIOException if it cannot be reached
   */
  static HadoopFiles of(URI folder, Configuration settings) {
    try {
      return new HadoopFiles(
          LOCAL.equals(folder.getScheme()) ? local(folder, settings) : shared(folder, settings));
    } catch (UnsupportedFileSystemException e) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "no jar knows the file system '%s' of %s: add its jar, for s3a with --packages"
                  + " org.apache.hadoop:hadoop-aws:3.3.4",
              folder.getScheme(),
              folder),
          e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * One of our own: Spark's, which Hadoop keeps for all, writes a checksum file beside each file.
   */
  private static FileSystem local(URI folder, Configuration settings) throws IOException {
    FileSystem files = new LocalFileSystem();
    files.initialize(folder, settings);
    // It could not appear together with the file.
    files.setWriteChecksum(false);
    return files;
  }

  /** The one that Hadoop keeps for this process: stores are opened by the thousand. */
  private static FileSystem shared(URI folder, Configuration settings) throws IOException {
    try {
      return FileSystem.get(folder, settings);
    } catch (RuntimeException e) {
      if (e.getCause() instanceof ClassNotFoundException missing) {
        throw new UnsupportedFileSystemException(missing.getMessage());
      }
      throw e;
    }
  }

  /**
   * A place with the name node that it leaves out, which is the one that this process has set.
   *
   * @throws InvalidInputException if there is none
   */
  static URI withHost(URI place) {
    if (place.getAuthority() != null) {
      return place;
    }
    URI usual = FileSystem.getDefaultUri(settings());
    if (!place.getScheme().equals(usual.getScheme()) || usual.getAuthority() == null) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "%s names no host, and fs.defaultFS, which would, is %s: write %s://HOST%s",
              place,
              usual,
              place.getScheme(),
              place.getPath()));
    }
    return usual.resolve(place.getPath());
  }

  /** What this process has set: an executor by its application, a tool by its options. */
  static Configuration settings() {
    SparkEnv env = SparkEnv.get();
    SparkHadoopUtil hadoop = SparkHadoopUtil.get();
    Configuration settings =
        new Configuration(FILES.get(() -> hadoop.newConfiguration(new SparkConf(false))));
    ClassLoader own = Thread.currentThread().getContextClassLoader();
    if (own != null) {
      settings.setClassLoader(own);
    }
    hadoop.appendS3AndSparkHadoopHiveConfigurations(
        env == null ? defaults() : env.conf(), settings);
    // Hive's, which Spark brings along, cannot replace a file.
    settings.set("fs.file.impl", LocalFileSystem.class.getName());
    return settings;
  }

  /** A tool that starts no Spark knows stores by the same spark-defaults.conf. */
  private static SparkConf defaults() {
    SparkConf conf = new SparkConf();
    Utils.loadDefaultSparkProperties(conf, null);
    return conf;
  }

  /** What is there; null if nothing is. */
  FileStatus status(Path path) throws IOException {
    try {
      return tries.ask(() -> files.getFileStatus(path));
    } catch (FileNotFoundException e) {
      return null;
    }
  }

  /** The names of the folders in a folder. */
  List<String> folders(Path folder) throws IOException {
    return Arrays.stream(tries.ask(() -> files.listStatus(folder)))
        .filter(FileStatus::isDirectory)
        .map(status -> status.getPath().getName())
        .toList();
  }

  /** All files in a folder and in those in it; none if it is not there. */
  List<FileStatus> in(Path folder) throws IOException {
    try {
      return tries.ask(() -> files instanceof LocalFileSystem ? walk(folder) : listed(folder));
    } catch (FileNotFoundException e) {
      // Nothing has been written there.
      return List.of();
    }
  }

  private List<FileStatus> listed(Path folder) throws IOException {
    List<FileStatus> found = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> all = files.listFiles(folder, true);
    while (all.hasNext()) {
      LocatedFileStatus file = all.next();
      // S3's list of a folder may begin with the object that marks it.
      if (!file.getPath().equals(folder)) {
        found.add(file);
      }
    }
    return found;
  }

  /** On a disk of this machine: Hadoop's own way starts a process for each file. */
  private List<FileStatus> walk(Path folder) throws IOException {
    List<FileStatus> found = new ArrayList<>();
    for (FileStatus status : files.listStatus(folder)) {
      if (!status.isDirectory()) {
        found.add(status);
        continue;
      }
      try {
        found.addAll(walk(status.getPath()));
      } catch (FileNotFoundException e) {
        // It was deleted meanwhile.
      }
    }
    return found;
  }

  /**
   * Opens a file. S3's client looks at an object first and reads it then, and refuses one that has
   * been replaced between: so reading begins here, and is begun again.
   */
  InputStream read(Path path) throws IOException {
    return tries.ask(() -> begun(path));
  }

  /** Opens a file for readers that jump about in it. */
  FSDataInputStream open(Path path) throws IOException {
    return tries.ask(() -> files.open(path));
  }

  private InputStream begun(Path path) throws IOException {
    FSDataInputStream in = files.open(path);
    try {
      PushbackInputStream begun = new PushbackInputStream(in, 1);
      int first = begun.read();
      if (first >= 0) {
        begun.unread(first);
      }
      return begun;
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  void publish(Path path, FileWriter writer) throws IOException {
    Publishing.on(files, tries).publish(path, writer);
  }

  void delete(Path path) throws IOException {
    tries.ask(() -> files.delete(path, false));
  }
}
