package org.vstar.spark.store;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFs;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.Progressable;

/** Stores that fail every third call of a thread. */
public final class FaultyStores {

  private static final ThreadLocal<AtomicInteger> CALLS =
      ThreadLocal.withInitial(AtomicInteger::new);

  private FaultyStores() {}

  /** What a client asks itself on the way is not another call. */
  private static final ThreadLocal<Boolean> CALLING = ThreadLocal.withInitial(() -> false);

  private interface Call<T> {
    T answer() throws IOException;
  }

  private static <T> T strike(Call<T> call) throws IOException {
    if (CALLING.get()) {
      return call.answer();
    }
    if (CALLS.get().incrementAndGet() % 3 == 0) {
      throw new IOException("the store is out of order");
    }
    CALLING.set(true);
    try {
      return call.answer();
    } finally {
      CALLING.set(false);
    }
  }

  /** HDFS for {@code fs.hdfs.impl}. */
  public static final class Hdfs extends DistributedFileSystem {
    @Override
    public FileStatus getFileStatus(Path file) throws IOException {
      return strike(() -> super.getFileStatus(file));
    }

    @Override
    public FSDataInputStream open(Path file, int buffer) throws IOException {
      return strike(() -> super.open(file, buffer));
    }

    @Override
    public FSDataOutputStream create(
        Path file,
        FsPermission permission,
        boolean overwrite,
        int buffer,
        short replication,
        long block,
        Progressable progress)
        throws IOException {
      return strike(
          () -> super.create(file, permission, overwrite, buffer, replication, block, progress));
    }

    @Override
    public boolean delete(Path file, boolean all) throws IOException {
      return strike(() -> super.delete(file, all));
    }

    @Override
    public FileStatus[] listStatus(Path folder) throws IOException {
      return strike(() -> super.listStatus(folder));
    }

    @Override
    public RemoteIterator<LocatedFileStatus> listFiles(Path folder, boolean all)
        throws IOException {
      return strike(() -> super.listFiles(folder, all));
    }
  }

  /**
   * HDFS for {@code fs.AbstractFileSystem.hdfs.impl}, which renames: by turns it does nothing and
   * says so, and does what is asked but its answer is lost.
   */
  public static final class Renaming extends FilterFs {

    private static final String IMPLEMENTATION = "fs.AbstractFileSystem.hdfs.impl";
    private static final AtomicInteger RENAMES = new AtomicInteger();

    /** As Hadoop makes it. */
    public Renaming(URI uri, Configuration settings) throws Exception {
      super(AbstractFileSystem.createFileSystem(uri, real(settings)));
    }

    private static Configuration real(Configuration settings) {
      Configuration real = new Configuration(settings);
      real.set(IMPLEMENTATION, "org.apache.hadoop.fs.Hdfs");
      return real;
    }

    @Override
    public void renameInternal(Path from, Path to, boolean overwrite)
        throws AccessControlException, IOException {
      int turn = RENAMES.incrementAndGet() % 6;
      if (turn != 3) {
        super.renameInternal(from, to, overwrite);
      }
      if (turn % 3 == 0) {
        throw new IOException("the store is out of order");
      }
    }
  }

  /** S3A for {@code fs.s3a.impl}. */
  public static final class S3a extends S3AFileSystem {
    @Override
    public FileStatus getFileStatus(Path file) throws IOException {
      return strike(() -> super.getFileStatus(file));
    }

    @Override
    public FSDataInputStream open(Path file, int buffer) throws IOException {
      return strike(() -> super.open(file, buffer));
    }

    @Override
    public FSDataOutputStream create(
        Path file,
        FsPermission permission,
        boolean overwrite,
        int buffer,
        short replication,
        long block,
        Progressable progress)
        throws IOException {
      return strike(
          () -> super.create(file, permission, overwrite, buffer, replication, block, progress));
    }

    @Override
    public boolean delete(Path file, boolean all) throws IOException {
      return strike(() -> super.delete(file, all));
    }

    @Override
    public RemoteIterator<LocatedFileStatus> listFiles(Path folder, boolean all)
        throws IOException {
      return strike(() -> super.listFiles(folder, all));
    }
  }
}
