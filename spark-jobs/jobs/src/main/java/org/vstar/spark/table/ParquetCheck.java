package org.vstar.spark.table;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopCodecs;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.MessageType;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.store.Store;

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
   * @throws IOException if it is not there, must not be read, or the store does not answer
   * @throws InvalidInputException if this machine lacks what is needed to read it
   */
  static long read(Store store, String name, Predicate<MessageType> fits, Consumer<Group> row)
      throws IOException, DamagedFileException {
    try {
      return readOnce(store, name, fits, row);
    } catch (OutOfMemoryError e) {
      // Memory may have been short for a moment. A damaged length asks for too much each time.
      try {
        return readOnce(store, name, fits, row);
      } catch (OutOfMemoryError again) {
        throw new DamagedFileException("it asks for more memory than there is", again);
      }
    } catch (LinkageError e) {
      throw new InvalidInputException(
          "cannot read "
              + store.location(name)
              + " on this machine ("
              + e
              + "): is there room in "
              + System.getProperty("java.io.tmpdir")
              + " to unpack libraries?",
          e);
    }
  }

  /** What is at the bottom of it, if that is something else. */
  private static String root(Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root == thrown ? "" : ": " + root.getMessage();
  }

  private static long readOnce(
      Store store, String name, Predicate<MessageType> fits, Consumer<Group> row)
      throws IOException, DamagedFileException {
    try (StoreInputFile file = StoreInputFile.open(store, name)) {
      return readOpen(file, store.settings(), fits, row);
    }
  }

  private static long readOpen(
      StoreInputFile file, Configuration hadoop, Predicate<MessageType> fits, Consumer<Group> row)
      throws IOException, DamagedFileException {
    try (ParquetFileReader reader =
        ParquetFileReader.open(
            file,
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
    } catch (IOException | RuntimeException e) {
      file.requireStoreAnswered();
      throw new DamagedFileException(e.getMessage() + root(e), e);
    }
  }
}
