package org.vstar.spark.table;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopCodecs;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.MessageType;
import org.vstar.common.InvalidInputException;

/** Reads a Parquet file whole, every page against its checksum, before anything is made of it. */
final class ParquetCheck {

  private ParquetCheck() {}

  /** A file that is no Parquet, was cut short or changed, or is of another table. */
  static final class DamagedFileException extends Exception {
    private static final long serialVersionUID = 1L;

    DamagedFileException(String message, Throwable cause) {
      super(InvalidInputException.oneLine(message), cause);
    }
  }

  /**
   * Reads all rows.
   *
   * @param fits whether the file has the columns that it should have
   * @param row is given each row, some perhaps twice; what it throws counts as damage
   * @return how many rows there are
   * @throws DamagedFileException if the file is not whole
   * @throws IOException if it is not there, or must not be read
   * @throws InvalidInputException if this machine lacks what is needed to read it
   */
  static long read(Path file, Predicate<MessageType> fits, Consumer<Group> row)
      throws IOException, DamagedFileException {
    if (isOdd(file)) {
      throw new DamagedFileException("it is no regular file", null);
    }
    try {
      return readOnce(file, fits, row);
    } catch (OutOfMemoryError e) {
      // Memory may have been short for a moment. A damaged length asks for too much each time.
      try {
        return readOnce(file, fits, row);
      } catch (OutOfMemoryError again) {
        throw new DamagedFileException("it asks for more memory than there is", again);
      }
    } catch (LinkageError e) {
      throw new InvalidInputException(
          "cannot read "
              + file
              + " on this machine ("
              + e
              + "): is there room in "
              + System.getProperty("java.io.tmpdir")
              + " to unpack libraries?",
          e);
    }
  }

  /** A pipe would be waited for, and a device has no end. */
  private static boolean isOdd(Path file) {
    java.nio.file.Path local = java.nio.file.Path.of(file.toUri().getPath());
    return Files.exists(local) && !Files.isRegularFile(local);
  }

  /** What is at the bottom of it, if that is something else. */
  private static String root(Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root == thrown ? "" : ": " + root.getMessage();
  }

  private static long readOnce(Path file, Predicate<MessageType> fits, Consumer<Group> row)
      throws IOException, DamagedFileException {
    Configuration hadoop = new Configuration();
    try (ParquetFileReader reader =
        ParquetFileReader.open(
            HadoopInputFile.fromPath(file, hadoop),
            HadoopReadOptions.builder(hadoop)
                .usePageChecksumVerification()
                .withCodecFactory(new CheckedCodecs(HadoopCodecs.newFactory(hadoop, 0)))
                .build())) {
      MessageType schema = reader.getFooter().getFileMetaData().getSchema();
      if (!fits.test(schema)) {
        throw new DamagedFileException("it has other columns or types: " + schema, null);
      }
      MessageColumnIO columns = new ColumnIOFactory().getColumnIO(schema);
      long rows = 0;
      for (PageReadStore group = reader.readNextRowGroup();
          group != null;
          group = reader.readNextRowGroup()) {
        RecordReader<Group> records =
            columns.getRecordReader(group, new GroupRecordConverter(schema));
        for (long i = 0; i < group.getRowCount(); i++) {
          row.accept(records.read());
        }
        rows += group.getRowCount();
      }
      if (rows != reader.getRecordCount()) {
        throw new DamagedFileException("it has fewer rows than it says", null);
      }
      return rows;
    } catch (FileNotFoundException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new DamagedFileException(e.getMessage() + root(e), e);
    }
  }
}
