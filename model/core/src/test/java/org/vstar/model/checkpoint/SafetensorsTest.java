package org.vstar.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.TensorSource.Tensor;
import org.vstar.model.weights.NamedTensors;

class SafetensorsTest {

  private static final Tensor MATRIX = new Tensor("m", 2, 3);
  private static final Tensor VECTOR = Tensor.vector("v", 2);

  private static final TensorSource SOURCE =
      new TensorSource() {
        @Override
        public List<Tensor> tensors() {
          return List.of(MATRIX, VECTOR);
        }

        @Override
        public void read(Tensor tensor, float[] into, int offset) {
          for (int i = 0; i < tensor.size(); i++) {
            into[offset + i] = (tensor.equals(MATRIX) ? 10 : 20) + i;
          }
        }
      };

  private static byte[] written() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Safetensors.write(SOURCE, out);
    return out.toByteArray();
  }

  @TempDir Path folder;

  private Safetensors read(byte[] bytes) throws IOException {
    return Safetensors.open(Files.write(folder.resolve("x.safetensors"), bytes));
  }

  /** The bytes of the format, written out by hand. */
  @Test
  void theFormatIsHuggingFaces() throws IOException {
    String header =
        "{\"__metadata__\":{\"format\":\"pt\"},\"m\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
            + "\"v\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[24,32]}}";
    int padded = (header.length() + 7) / 8 * 8;
    ByteBuffer expected = ByteBuffer.allocate(8 + padded + 32).order(ByteOrder.LITTLE_ENDIAN);
    expected.putLong(padded).put(header.getBytes(StandardCharsets.UTF_8));
    while (expected.position() < 8 + padded) {
      expected.put((byte) ' ');
    }
    for (float x : new float[] {10, 11, 12, 13, 14, 15, 20, 21}) {
      expected.putFloat(x);
    }
    assertThat(written()).isEqualTo(expected.array());
  }

  @Test
  void whatIsWrittenIsReadAtAnyOffset() throws IOException {
    Safetensors file = read(written());
    assertThat(file.tensors()).containsExactly(MATRIX, VECTOR);
    float[] values = new float[9];
    file.read(VECTOR, values, 7);
    file.read(MATRIX, values, 0);
    assertThat(values).containsExactly(10, 11, 12, 13, 14, 15, 0, 20, 21);
  }

  @Test
  void aLargeTensorIsReadInPiecesAndItsFingerprintIsThatOfTheWhole() throws IOException {
    Tensor large = new Tensor("large", 3, 1_000_003);
    float[] values = new float[large.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = i % 1009;
    }
    TensorSource source = new NamedTensors(List.of(large), values);
    Path path = folder.resolve("large.safetensors");
    try (OutputStream out = Files.newOutputStream(path)) {
      Safetensors.write(source, out);
    }
    List<Integer> counts = new ArrayList<>();
    ContentHash pieces = new ContentHash().add((long) values.length);
    Safetensors.open(path)
        .readPieces(
            large,
            (some, count) -> {
              counts.add(count);
              pieces.append(some, 0, count);
            });
    assertThat(counts).hasSizeGreaterThan(1);
    assertThat(pieces.hex()).isEqualTo(new ContentHash().add(values, 0, values.length).hex());

    values[2_500_000] = Float.NaN;
    assertThatThrownBy(() -> Safetensors.write(source, OutputStream.nullOutputStream()))
        .hasMessageContaining("'large' has NaN at position 2500000");
  }

  @Test
  void whatIsMissingCutShortOrOfAnotherShapeIsNamed() throws IOException {
    byte[] bytes = written();
    assertUnreadable(
        Arrays.copyOf(bytes, bytes.length - 1),
        "tensor 'v' has the bytes 24 to 32",
        "within the data's 31 bytes");
    Safetensors whole = read(bytes);
    assertRefused(whole, Tensor.vector("w", 2), "tensor 'w' is missing");
    assertRefused(whole, new Tensor("m", 3, 2), "tensor 'm' is [2, 3], expected [3, 2]");
    for (byte[] broken : List.of(new byte[3], Arrays.copyOf(bytes, 40), new byte[64])) {
      assertThatThrownBy(() -> read(broken))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("x.safetensors is not a safetensors file");
    }
  }

  private static void assertRefused(Safetensors file, Tensor tensor, String message) {
    assertThatThrownBy(() -> file.read(tensor, new float[9], 0))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("x.safetensors")
        .hasMessageContaining(message);
  }

  private void assertUnreadable(byte[] bytes, String... parts) {
    assertThatThrownBy(() -> read(bytes))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContainingAll(parts);
  }

  /** A file with this header and some bytes of data. */
  private static byte[] file(String header, int data) {
    byte[] head = header.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(8 + head.length + data)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(head.length)
        .put(head)
        .array();
  }

  @Test
  void tensorsThatOverlapLeaveGapsOrAreOfAnotherSizeAreRefused() {
    String v = "{'v':{'dtype':'F32','shape':[2],'data_offsets':[0,8]}";
    assertUnreadable(
        file(v + ",'w':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}", 8), "'w'", "begin at 8");
    assertUnreadable(
        file(v + ",'w':{'dtype':'F32','shape':[1],'data_offsets':[12,16]}}", 16), "begin at 8");
    assertUnreadable(file(v + "}", 9), "1 bytes belong to no tensor");
    assertUnreadable(file(v.replace("[2]", "[3]") + "}", 8), "expected 12 bytes");
    assertUnreadable(file(v.replace("[2]", "[46341,46341]") + "}", 8), "expected 8589953124 bytes");
    assertUnreadable(file(v.replace("F32", "BF16") + "}", 8), "expected 4 bytes");
    assertUnreadable(file(v.replace("F32", "F64") + "}", 8), "F64", "expected dtype F32");
    assertUnreadable(file(v.replace("[2]", "[0]") + "}", 8), "'v'", "a shape of one or two sides");
    assertUnreadable(file(v.replace("[0,8]", "null") + "}", 8), "'v'", "data_offsets");
    assertUnreadable(file(v + "," + v.substring(1) + "}", 8), "Duplicate field 'v'");
    assertUnreadable(file("null", 0), "it has no header");
    assertUnreadable(file("\0\0\0{", 0), "is not a safetensors file");
    assertUnreadable(file("{\0\0\0\"\0ab", 0), "is not a safetensors file");
  }

  @Test
  void aWeightThatIsNoNumberIsNamedByTensorAndPosition() throws IOException {
    byte[] bytes = written();
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putFloat(bytes.length - 4, Float.NaN);
    assertRefused(read(bytes), VECTOR, "tensor 'v' has NaN at position 1");
  }

  /** 1 + 2⁻⁸ lies between two bfloat16 and rounds to the even one; 2⁻²⁴ is the smallest float16. */
  @Test
  void sixteenBitNumbersAreRoundedToTheNearestAndReadBack() throws IOException {
    float[] given = {1, -2.5f, 1 + 0x1p-8f, 1 + 3 * 0x1p-8f, 0x1p-24f, 65504, 1e-30f, -0f};
    float[] bfloat = {1, -2.5f, 1, 1 + 0x1p-6f, 0x1p-24f, 65536, 1e-30f, -0f};
    float[] half = {1, -2.5f, 1 + 0x1p-8f, 1 + 3 * 0x1p-8f, 0x1p-24f, 65504, 0, -0f};
    float[] read = new float[given.length];
    ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    DType.FLOAT16.write(given, 0, given.length, bytes);
    DType.FLOAT16.read(bytes.flip(), read, 0, read.length);
    assertThat(read).isEqualTo(half);
    DType.BFLOAT16.write(given, 0, given.length, bytes.clear());
    DType.BFLOAT16.read(bytes.flip(), read, 0, read.length);
    for (int i = 0; i < read.length; i++) {
      assertThat(read[i]).isCloseTo(bfloat[i], withinPercentage(0.4));
    }
    assertThat(Arrays.copyOf(read, 4)).isEqualTo(Arrays.copyOf(bfloat, 4));
  }

  /** Every float16 there is. */
  @Test
  void everyFiniteHalfIsReadAndWrittenUnchanged() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      float[] value = new float[1];
      ByteBuffer two = ByteBuffer.allocate(2).order(ByteOrder.LITTLE_ENDIAN);
      DType.FLOAT16.read(two.putShort(0, (short) bits), value, 0, 1);
      if (Float.isFinite(value[0])) {
        DType.FLOAT16.write(value, 0, 1, two);
        assertThat(two.getShort(0)).as("%x", bits).isEqualTo((short) bits);
      }
    }
  }
}
