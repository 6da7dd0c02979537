package org.vstar.spark.tracking;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.vstar.common.RunStore;

/**
 * The numbers of a training run as a file that TensorBoard shows: {@code tensorboard --logdir DIR}.
 * Each start of the job writes a file of its own, {@code tensorboard/events.out.tfevents.N}; one
 * that goes on from a step says so, and TensorBoard then leaves out that step and later ones.
 *
 * <p>The file is a series of TFRecords, each an {@code Event} of TensorFlow's {@code event.proto}.
 */
public final class TensorBoard implements MetricsSink {

  private static final String FOLDER = "/tensorboard/";
  private static final String FILE = "events.out.tfevents.";
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What TFRecord adds to a checksum that it has rotated, so that one of checksums is not odd. */
  private static final int MASK = 0xa282ead8;

  /** How protobuf calls a field that is a message. */
  private static final int LENGTH_DELIMITED = 2;

  // Fields of Event, Summary, Summary.Value and SessionLog in TensorFlow's event.proto and
  // summary.proto.
  private static final int WALL_TIME = 1;
  private static final int STEP = 2;
  private static final int FILE_VERSION = 3;
  private static final int SUMMARY = 5;
  private static final int SESSION_LOG = 7;
  private static final int VALUE = 1;
  private static final int TAG = 1;
  private static final int SIMPLE_VALUE = 2;
  private static final int STATUS = 1;

  /** SessionLog.START: what was shown of this step and later ones counts no more. */
  private static final int START = 1;

  private final RunStore store;
  private final String name;
  private final Clock clock;
  private final ByteArrayOutputStream records = new ByteArrayOutputStream();
  private long published = System.nanoTime();

  TensorBoard(RunStore store, String folder, long step, Clock clock) throws IOException {
    this.store = store;
    this.clock = clock;
    this.name = folder + FOLDER + FILE + clock.millis() / 1000 + ".vstar." + step;
    add(event -> event.writeString(FILE_VERSION, "brain.Event:2"));
    if (step > 0) {
      add(
          event -> {
            event.writeInt64(STEP, step);
            message(event, SESSION_LOG, log -> log.writeEnum(STATUS, START));
          });
    }
  }

  /** Makes it known. */
  public static final class Opener implements Kind {
    @Override
    public Optional<MetricsSink> open(RunStore store, String folder, Start start)
        throws IOException {
      return Optional.of(new TensorBoard(store, folder, start.step(), Clock.systemUTC()));
    }
  }

  @Override
  public void scalars(String stage, long step, Map<String, Double> values) throws IOException {
    add(
        event -> {
          event.writeInt64(STEP, step);
          message(
              event,
              SUMMARY,
              summary -> {
                for (var value : new TreeMap<>(values).entrySet()) {
                  message(summary, VALUE, one -> scalar(one, stage, value));
                }
              });
        });
    if (System.nanoTime() - published >= PAUSE_NANOS) {
      flush();
    }
  }

  private static void scalar(CodedOutputStream to, String stage, Map.Entry<String, Double> value)
      throws IOException {
    to.writeString(TAG, stage + "/" + value.getKey());
    to.writeFloat(SIMPLE_VALUE, value.getValue().floatValue());
  }

  /** Writes the fields of a message. */
  @FunctionalInterface
  private interface Fields {
    void write(CodedOutputStream to) throws IOException;
  }

  private static byte[] bytes(Fields fields) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream to = CodedOutputStream.newInstance(bytes);
    fields.write(to);
    to.flush();
    return bytes.toByteArray();
  }

  private static void message(CodedOutputStream to, int field, Fields fields) throws IOException {
    byte[] bytes = bytes(fields);
    to.writeTag(field, LENGTH_DELIMITED);
    to.writeUInt32NoTag(bytes.length);
    to.writeRawBytes(bytes);
  }

  /** Adds a record: length, its checksum, an event of now, its checksum. */
  private void add(Fields fields) throws IOException {
    double now = clock.millis() / 1000.0;
    byte[] event =
        bytes(
            to -> {
              to.writeDouble(WALL_TIME, now);
              fields.write(to);
            });
    byte[] length =
        ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(event.length).array();
    for (byte[] part : new byte[][] {length, checksum(length), event, checksum(event)}) {
      records.write(part);
    }
  }

  /** CRC-32C, rotated and moved. */
  static byte[] checksum(byte[] of) {
    CRC32C crc = new CRC32C();
    crc.update(of);
    int masked = Integer.rotateRight((int) crc.getValue(), 15) + MASK;
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(masked).array();
  }

  @Override
  public void flush() throws IOException {
    byte[] bytes = records.toByteArray();
    store.publish(name, out -> out.write(bytes));
    published = System.nanoTime();
  }

  @Override
  public void close() throws IOException {
    flush();
  }
}
