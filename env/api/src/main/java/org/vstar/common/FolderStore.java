package org.vstar.common;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A run in a folder of this machine, for programs that use no Spark. */
public final class FolderStore implements RunStore {

  private static final long serialVersionUID = 1L;

  private final String root;

  /** The folder need not be there yet. */
  public FolderStore(Path root) {
    this.root = root.toString();
  }

  private Path path(String name) {
    return Path.of(root).resolve(name);
  }

  @Override
  public boolean exists(String name) {
    return Files.isRegularFile(path(name));
  }

  @Override
  public InputStream read(String name) throws IOException {
    try {
      return Files.newInputStream(path(name));
    } catch (NoSuchFileException e) {
      throw new FileNotFoundException(location(name) + " does not exist");
    }
  }

  @Override
  public Path local(String name) {
    return path(name);
  }

  @Override
  public void publish(String name, AtomicFiles.FileWriter writer) throws IOException {
    AtomicFiles.write(path(name), writer);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(path(name));
  }

  @Override
  public Lock lock(String name, String holder, Duration timeout) throws IOException {
    return FileLocks.take(path("." + name + ".lock"), location(name), holder, timeout);
  }

  @Override
  public List<String> list(String prefix) throws IOException {
    Path from = path("");
    if (!Files.isDirectory(from)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(from)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .map(file -> from.relativize(file).toString().replace('\\', '/'))
          .filter(name -> name.startsWith(prefix))
          .sorted()
          .toList();
    }
  }

  @Override
  public String location(String name) {
    return path(name).toString();
  }
}
