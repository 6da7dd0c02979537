package org.vstar.spark.store;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.FilterFs;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.s3a.S3AFileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.Progressable;

/** Stores that are out of order. */
public final class FaultyStores {

  private FaultyStores() {}

  /** For {@code fs.hdfs.impl} and {@code fs.s3a.impl}: every third call of a thread fails. */
  public static final class Calls extends FilterFileSystem {

    private static final ThreadLocal<AtomicInteger> CALLS =
        ThreadLocal.withInitial(AtomicInteger::new);

    private static void call() throws IOException {
      if (CALLS.get().incrementAndGet() % 3 == 0) {
        throw new IOException("the store is out of order");
      }
    }

    @Override
    public void initialize(URI uri, Configuration settings) throws IOException {
      fs = uri.getScheme().equals("s3a") ? new S3AFileSystem() : new DistributedFileSystem();
      super.initialize(uri, settings);
    }

    @Override
    public String getScheme() {
      return fs.getScheme();
    }

    @Override
    public FileStatus getFileStatus(Path file) throws IOException {
      call();
      return super.getFileStatus(file);
    }

    @Override
    public FSDataInputStream open(Path file, int buffer) throws IOException {
      call();
      return super.open(file, buffer);
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
      call();
      return super.create(file, permission, overwrite, buffer, replication, block, progress);
    }

    @Override
    public boolean delete(Path file, boolean all) throws IOException {
      call();
      return super.delete(file, all);
    }

    @Override
    public FileStatus[] listStatus(Path folder) throws IOException {
      call();
      return super.listStatus(folder);
    }

    /** Asked of the store itself: one call where it lists folders and all that is in them. */
    @Override
    public RemoteIterator<LocatedFileStatus> listFiles(Path folder, boolean all)
        throws IOException {
      call();
      return fs.listFiles(folder, all);
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
}
