package org.vstar.spark.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.FolderStore;

class TensorBoardTest {

  private static final Clock CLOCK =
      Clock.fixed(Instant.ofEpochMilli(1_700_000_000_500L), ZoneOffset.UTC);

  @TempDir Path folder;

  /** CRC-32C of "123456789" is e3069283, in RFC 3720's words; TFRecord rotates it and adds. */
  @Test
  void checksumsAreThoseOfTensorFlowsRecords() {
    byte[] checksum = TensorBoard.checksum("123456789".getBytes(StandardCharsets.US_ASCII));
    int expected = (0xe3069283 >>> 15 | 0xe3069283 << 17) + 0xa282ead8;
    assertThat(ByteBuffer.wrap(checksum).order(ByteOrder.LITTLE_ENDIAN).getInt())
        .isEqualTo(expected);
  }

  @Test
  void everyNumberIsAScalarOfItsStageAndStep() throws IOException {
    try (TensorBoard sink = new TensorBoard(new FolderStore(folder), "train-x", 0, CLOCK)) {
      sink.scalars(MetricsSink.VALIDATION, 0, Map.of("success", 0.25));
      sink.scalars(MetricsSink.TRAIN, 300, Map.of("loss", -1.5, "kl", 0.0));
    }
    assertThat(events("train-x/tensorboard/events.out.tfevents.1700000000.vstar.0"))
        .containsExactly(
            "1.7000000005E9 version brain.Event:2",
            "1.7000000005E9 step 0 validation/success=0.25",
            "1.7000000005E9 step 300 train/kl=0.0 train/loss=-1.5");
  }

  @Test
  void aRunThatGoesOnSaysFromWhichStep() throws IOException {
    new TensorBoard(new FolderStore(folder), "train-x", 40, CLOCK).close();
    assertThat(events("train-x/tensorboard/events.out.tfevents.1700000000.vstar.40"))
        .containsExactly(
            "1.7000000005E9 version brain.Event:2", "1.7000000005E9 step 40 session 1");
  }

  private List<String> events(String name) throws IOException {
    ByteBuffer file =
        ByteBuffer.wrap(Files.readAllBytes(folder.resolve(name))).order(ByteOrder.LITTLE_ENDIAN);
    List<String> events = new ArrayList<>();
    while (file.hasRemaining()) {
      byte[] length = take(file, 8);
      assertThat(take(file, 4)).isEqualTo(TensorBoard.checksum(length));
      byte[] event =
          take(file, (int) ByteBuffer.wrap(length).order(ByteOrder.LITTLE_ENDIAN).getLong());
      assertThat(take(file, 4)).isEqualTo(TensorBoard.checksum(event));
      events.add(text(event));
    }
    return events;
  }

  private static byte[] take(ByteBuffer from, int count) {
    byte[] bytes = new byte[count];
    from.get(bytes);
    return bytes;
  }

  private static String text(byte[] event) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(event);
    StringBuilder text = new StringBuilder();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag >>> 3) {
        case 1 -> text.append(in.readDouble());
        case 2 -> text.append(" step ").append(in.readInt64());
        case 3 -> text.append(" version ").append(in.readString());
        case 5 -> summary(CodedInputStream.newInstance(in.readBytes().toByteArray()), text);
        case 7 -> {
          CodedInputStream log = CodedInputStream.newInstance(in.readBytes().toByteArray());
          assertThat(log.readTag() >>> 3).isEqualTo(1);
          text.append(" session ").append(log.readEnum());
        }
        default -> throw new IOException("field " + (tag >>> 3));
      }
    }
    return text.toString();
  }

  private static void summary(CodedInputStream in, StringBuilder text) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      assertThat(tag >>> 3).isEqualTo(1);
      CodedInputStream value = CodedInputStream.newInstance(in.readBytes().toByteArray());
      assertThat(value.readTag() >>> 3).isEqualTo(1);
      text.append(' ').append(value.readString());
      assertThat(value.readTag() >>> 3).isEqualTo(2);
      text.append('=').append(value.readFloat());
    }
  }
}
