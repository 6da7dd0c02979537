package org.vstar.spark.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.vstar.common.AtomicFiles.FileWriter;
import org.vstar.common.FileLocks;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;

/**
 * A run in a folder of any file system that Hadoop opens: {@code file:}, {@code hdfs:}, {@code
 * s3a:} and others. What is set for it as {@code spark.hadoop.…} counts on driver and executors;
 * where the store travels, its settings, which may be secret, do not travel along.
 */
final class HadoopRunStore implements Store {

  private static final long serialVersionUID = 2L;
  private static final String LOCAL = "file";

  /** What Spark would take for a pattern, and Hadoop for a separator. */
  private static final Pattern REFUSED = Pattern.compile("[\\[\\]{}*?\\\\\\p{Cntrl}]");

  /** A file system may give a full disk's last blocks to names alone. */
  private static final int PROBE_BYTES = 1 << 16;

  private static final int LOCK_SECONDS = 60;

  private final String given;
  private final URI root;
  private final Lazy<Configuration> settings = new Lazy<>();
  private final Lazy<HadoopFiles> files = new Lazy<>();
  private final Lazy<LocalCopies> copies = new Lazy<>();

  /** What this process has locked here, by the folder. */
  private final Lazy<Map<String, Lock>> locks;

  /**
   * The folder of this store in the one whose locks these are: empty, or with a slash behind it.
   */
  private final String inner;

  private HadoopRunStore(String given, URI root) {
    this(given, root, new Lazy<>(), "");
  }

  private HadoopRunStore(String given, URI root, Lazy<Map<String, Lock>> locks, String inner) {
    this.given = given;
    this.root = root;
    this.locks = locks;
    this.inner = inner;
  }

  static HadoopRunStore of(String folder) {
    if (folder.isBlank() || REFUSED.matcher(folder).find()) {
      throw new InvalidInputException(
          "--out is '"
              + folder
              + "', expected a folder (a path or a URI), without any of []{}*?\\ and control"
              + " characters");
    }
    try {
      boolean local = folder.startsWith(LOCAL + ":");
      if (!local && Store.isUri(folder)) {
        String bare = folder.replaceAll("/+\\z", "");
        URI root = HadoopFiles.withHost(new Path(bare + "/").toUri().normalize());
        return new HadoopRunStore(bare, root);
      }
      java.nio.file.Path path = java.nio.file.Path.of(local ? pathOf(folder) : folder);
      return new HadoopRunStore(path.toString(), path.toAbsolutePath().normalize().toUri());
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "--out is '" + folder + "', not a path: " + e.getMessage(), e);
    }
  }

  private static String pathOf(String uri) {
    URI parsed = URI.create(uri);
    if (parsed.getPath() == null || parsed.getAuthority() != null) {
      throw new IllegalArgumentException("a file: URI has an absolute path and no host");
    }
    return parsed.getPath();
  }

  @Override
  public HadoopRunStore within(String folder) {
    return new HadoopRunStore(location(folder), path(folder).toUri(), locks, inner + folder + "/");
  }

  private boolean isLocal() {
    return root.getScheme().equals(LOCAL);
  }

  @Override
  public void requireWritable() {
    try {
      FileStatus there = files().status(path(""));
      // Some servers of S3 show what marks an empty folder as an empty file.
      if (there != null && !there.isDirectory() && there.getLen() > 0) {
        throw new InvalidInputException("--out is '" + given + "', a file, expected a folder");
      }
      String probe = ".probe-" + UUID.randomUUID();
      publish(probe, out -> out.write(new byte[PROBE_BYTES]));
      delete(probe);
    } catch (IOException e) {
      throw InvalidInputException.cannot("write to --out '" + given + "'", e);
    }
  }

  @Override
  public Path path(String name) {
    Path folder = new Path(root);
    // Read as a URI, a name such as run:1 would have the scheme run.
    return name.isEmpty() ? folder : new Path(folder, new Path(null, null, name));
  }

  private HadoopFiles files() throws IOException {
    try {
      return files.get(() -> HadoopFiles.of(root, settings()));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Override
  public Configuration settings() {
    return settings.get(HadoopFiles::settings);
  }

  @Override
  public boolean exists(String name) throws IOException {
    FileStatus status = files().status(path(name));
    return status != null && status.isFile();
  }

  @Override
  public boolean isFolder(String name) throws IOException {
    FileStatus status = files().status(path(name));
    return status != null && status.isDirectory();
  }

  @Override
  public List<String> folders(String name) throws IOException {
    return files().folders(path(name));
  }

  @Override
  public Instant modified(String name) throws IOException {
    return Instant.ofEpochMilli(status(name).getModificationTime());
  }

  private FileStatus status(String name) throws IOException {
    FileStatus status = files().status(path(name));
    if (status == null) {
      throw new FileNotFoundException(location(name) + " does not exist");
    }
    return status;
  }

  @Override
  public InputStream read(String name) throws IOException {
    if (isLocal()) {
      java.nio.file.Path local = local(name);
      if (Files.exists(local) && !Files.isRegularFile(local)) {
        throw new IOException(location(name) + " is no regular file");
      }
    }
    return files().read(path(name));
  }

  @Override
  public FSDataInputStream readAnywhere(String name) throws IOException {
    return files().open(path(name));
  }

  @Override
  public long bytes(String name) throws IOException {
    return status(name).getLen();
  }

  @Override
  public java.nio.file.Path local(String name) throws IOException {
    if (isLocal()) {
      return java.nio.file.Path.of(root).resolve(name);
    }
    try {
      return copies().of(this, name);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private LocalCopies copies() {
    return copies.get(
        () -> {
          try {
            return new LocalCopies();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Override
  public void release(String name) {
    if (!isLocal()) {
      copies().release(name);
    }
  }

  @Override
  public void publish(String name, FileWriter writer) throws IOException {
    requireHeld(name);
    files().publish(path(name), writer);
  }

  /** Whoever lost a lock neither writes nor deletes what it is of. */
  private void requireHeld(String name) {
    locks()
        .forEach(
            (folder, lock) -> {
              if ((inner + name).startsWith(folder + "/")) {
                lock.requireHeld();
              }
            });
  }

  private Map<String, Lock> locks() {
    return locks.get(ConcurrentHashMap::new);
  }

  @Override
  public void delete(String name) throws IOException {
    requireHeld(name);
    files().delete(path(name));
  }

  /** In a folder of this machine a lock of the operating system, elsewhere a {@link Lease}. */
  @Override
  public Lock lock(String name, String holder, Duration timeout) throws IOException {
    String file = "." + name + ".lock";
    if (isLocal()) {
      return FileLocks.take(local(file), location(name), holder, timeout);
    }
    Lease.Timing timing = Lease.Timing.free(leaseSeconds());
    Lease lease = Lease.take(this, file, location(name), holder, timeout, timing);
    locks().put(inner + name, lease);
    return new Lock() {
      @Override
      public void close() {
        locks().remove(inner + name);
        lease.close();
      }

      @Override
      public void requireHeld() {
        lease.requireHeld();
      }
    };
  }

  @Override
  public int orphanedLockSeconds() {
    return isLocal() ? 0 : leaseSeconds();
  }

  private static int leaseSeconds() {
    // Of now: a store may have been opened before Spark was started.
    return HadoopFiles.settings().getInt(Lease.FREE_SECONDS, LOCK_SECONDS);
  }

  @Override
  public int deletePartial(String folder) throws IOException {
    int deleted = 0;
    for (FileStatus file : files().in(path(folder))) {
      String name = file.getPath().getName();
      if (name.startsWith(".") && name.endsWith(Publishing.PARTIAL)) {
        files().delete(file.getPath());
        deleted++;
      }
    }
    return deleted;
  }

  @Override
  public List<String> list(String prefix) throws IOException {
    return stored(prefix).stream().map(Stored::name).toList();
  }

  @Override
  public List<Stored> stored(String prefix) throws IOException {
    int slash = prefix.lastIndexOf('/');
    return files().in(path(slash < 0 ? "" : prefix.substring(0, slash))).stream()
        .map(
            file ->
                new Stored(
                    name(file), file.getLen(), Instant.ofEpochMilli(file.getModificationTime())))
        .filter(file -> file.name().startsWith(prefix) && !("/" + file.name()).contains("/."))
        .sorted(Comparator.comparing(Stored::name))
        .toList();
  }

  private String name(FileStatus file) {
    return folder(root).relativize(file.getPath().toUri()).getPath();
  }

  /** With a slash at its end, so that what is in it can be told relative to it. */
  private static URI folder(URI folder) {
    try {
      String path = folder.getPath();
      return new URI(
          folder.getScheme(),
          folder.getAuthority(),
          path.endsWith("/") ? path : path + "/",
          null,
          null);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String location(String name) {
    return name.isEmpty() ? given : given + "/" + name;
  }
}
