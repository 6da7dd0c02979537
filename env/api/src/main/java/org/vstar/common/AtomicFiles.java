package org.vstar.common;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Files and folders that appear under their names only when they are whole, whatever is killed
 * when: they are written beside their place and moved there. Names that begin with a dot and end
 * with {@code .partial} are what a kill left behind.
 */
public final class AtomicFiles {

  private static final String PARTIAL = ".partial";

  private AtomicFiles() {}

  /** Writes a file's bytes. */
  @FunctionalInterface
  public interface FileWriter {
    /** Writes; need not close the stream. */
    void write(OutputStream out) throws IOException;
  }

  /** Fills a folder. */
  @FunctionalInterface
  public interface FolderWriter {
    /** Writes into a folder that is there and empty. */
    void write(Path folder) throws IOException;
  }

  /** Writes a file, in the place of any that is there. Its folder is made if need be. */
  public static void write(Path file, FileWriter writer) throws IOException {
    Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
    Path partial = partial(folder, file);
    try {
      try (FileChannel channel =
          FileChannel.open(partial, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel));
        writer.write(out);
        out.flush();
        channel.force(true);
      }
      Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(partial);
    }
  }

  /**
   * Makes a folder. Of several that do so at the same time the first is kept.
   *
   * @return whether it was this one's
   */
  public static boolean createFolder(Path folder, FolderWriter writer) throws IOException {
    Path parent = Files.createDirectories(folder.toAbsolutePath().getParent());
    Path partial = Files.createDirectory(partial(parent, folder));
    try {
      writer.write(partial);
      return movedTo(folder, partial);
    } finally {
      delete(partial);
    }
  }

  private static boolean movedTo(Path folder, Path partial) throws IOException {
    try {
      Files.move(partial, folder);
      return true;
    } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
      return false;
    }
  }

  /** Of our own naming, so that it has the permissions that the user's umask says. */
  private static Path partial(Path parent, Path target) {
    return parent.resolve("." + target.getFileName() + "-" + UUID.randomUUID() + PARTIAL);
  }

  /** Deletes a file, or a folder with all that is in it, if it is there. */
  public static void delete(Path path) throws IOException {
    if (Files.exists(path)) {
      try (Stream<Path> all = Files.walk(path)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }
}
