package org.vstar.spark.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.UnsupportedFileSystemException;
import org.vstar.common.AtomicFiles.FileWriter;

/**
 * How a thing appears whole under its name. File systems show a file from its first byte on, and
 * rename in one step; object stores show an object when its stream is closed, and have no rename.
 */
sealed interface Publishing {

  /** What hidden files that are being written end with. */
  String PARTIAL = ".partial";

  /** Writes a thing, in the place of any that is there; if that fails, nothing has changed. */
  void publish(Path target, FileWriter writer) throws IOException;

  /** The way of a file system. */
  static Publishing on(FileSystem files, Backoff tries) {
    return Closed.SCHEMES.contains(files.getScheme())
        ? new Closed(files, tries)
        : new Renamed(files, tries);
  }

  /** Written beside its name first. Spark leaves out files whose names begin with a dot. */
  record Renamed(FileSystem files, Backoff tries) implements Publishing {

    private static final String LOCAL = "file";

    @Override
    public void publish(Path target, FileWriter writer) throws IOException {
      String hidden = "." + target.getName() + "-" + UUID.randomUUID() + PARTIAL;
      Path partial = new Path(target.getParent(), hidden);
      try {
        move(partial, target, write(partial, writer));
      } catch (FSError e) {
        discard(partial, e);
        // Hadoop makes an error of what a local disk says, for example that it is full.
        throw e.getCause() instanceof IOException said ? said : new IOException(e);
      } catch (IOException | RuntimeException | Error e) {
        discard(partial, e);
        throw e;
      }
    }

    /** Gives how many bytes it wrote. */
    private long write(Path partial, FileWriter writer) throws IOException {
      try (FSDataOutputStream out = tries.ask(() -> files.create(partial, true))) {
        writer.write(out);
        out.hsync();
        return out.getPos();
      }
    }

    private void discard(Path partial, Throwable cause) {
      try {
        tries.ask(() -> files.delete(partial, false));
      } catch (IOException | FSError e) {
        cause.addSuppressed(e);
      }
    }

    /** In one step, but where Hadoop knows no such step of a file system. */
    private void replace(Path partial, Path target) throws IOException {
      try {
        FileContext.getFileContext(target.toUri(), files.getConf())
            .rename(partial, target, Rename.OVERWRITE);
      } catch (UnsupportedFileSystemException e) {
        files.delete(target, false);
        if (!files.rename(partial, target)) {
          throw new IOException("cannot move " + partial + " to " + target);
        }
      }
    }

    private long length(Path target) throws IOException {
      return tries.ask(() -> files.getFileStatus(target)).getLen();
    }

    private void move(Path partial, Path target, long bytes) throws IOException {
      if (!files.getScheme().equals(LOCAL)) {
        AtomicInteger asked = new AtomicInteger();
        try {
          tries.ask(
              () -> {
                asked.incrementAndGet();
                replace(partial, target);
                return true;
              });
        } catch (FileNotFoundException e) {
          // An earlier try may have been obeyed, and its answer lost on the way.
          if (asked.get() == 1 || length(target) != bytes) {
            throw e;
          }
        }
        return;
      }
      // On a local file system this replaces what is there in one step; FileContext deletes first.
      if (!files.rename(partial, target)) {
        throw new IOException("cannot move " + partial + " to " + target);
      }
    }
  }

  /** Written under its name; what fails is aborted, because closing would publish it. */
  record Closed(FileSystem files, Backoff tries) implements Publishing {

    /** Those of object stores. Azure's abfs is a file system. */
    private static final Set<String> SCHEMES =
        Set.of("s3a", "s3", "s3n", "gs", "oss", "cosn", "obs", "swift");

    @Override
    public void publish(Path target, FileWriter writer) throws IOException {
      FSDataOutputStream out = tries.ask(() -> files.create(target, true));
      try {
        writer.write(out);
      } catch (IOException | RuntimeException | Error e) {
        abort(out, target, e);
        throw e;
      }
      out.close();
    }

    private static void abort(FSDataOutputStream out, Path target, Throwable cause)
        throws IOException {
      if (!out.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
        throw new IOException(
            "writing "
                + target
                + " failed, and this store cannot abort it: what is there now is not whole",
            cause);
      }
      out.abort();
    }
  }
}
