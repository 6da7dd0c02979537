package org.vstar.model.gguf;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vstar.model.engine.DType;

/**
 * How a tensor's numbers are stored: plainly, or in blocks of small integers with a scale. Each
 * number is computed in float32 in the order of operations of the Python package {@code gguf}, so
 * that both give the same bits. Layouts are those of {@code ggml-quants.c}.
 */
enum GgufType {
  F32(0, 1, 4),
  F16(1, 1, 2),
  Q4_0(2, 32, 18),
  Q4_1(3, 32, 20),
  Q5_0(6, 32, 22),
  Q5_1(7, 32, 24),
  Q8_0(8, 32, 34),
  Q4_K(12, 256, 144),
  Q5_K(13, 256, 176),
  Q6_K(14, 256, 210),
  BF16(30, 1, 2);

  /** Bytes of a half. */
  private static final int HALF = 2;

  /** Numbers of a block of Q4_0 to Q8_0. */
  private static final int BLOCK = 32;

  /** Numbers of a super-block of the K types, and of their parts. */
  private static final int SUPER = 256;

  private static final int PART = 32;

  /** Bytes of the scales and minima of Q4_K and Q5_K: 8 each, of 6 bits. */
  private static final int SCALES = 12;

  private final int id;
  private final int block;
  private final int bytes;

  GgufType(int id, int block, int bytes) {
    this.id = id;
    this.block = block;
    this.bytes = bytes;
  }

  static Optional<GgufType> of(int id) {
    return Stream.of(values()).filter(type -> type.id == id).findFirst();
  }

  /** All of them, for messages. */
  static String known() {
    return Arrays.stream(values()).map(Enum::name).collect(Collectors.joining(", "));
  }

  /** Numbers of a block; a row is whole blocks. */
  int block() {
    return block;
  }

  /** Bytes of so many numbers, a multiple of {@link #block}. */
  long bytes(long numbers) {
    return numbers / block * bytes;
  }

  /**
   * Dequantises blocks.
   *
   * @param from little-endian
   * @param at the first byte
   * @param count a multiple of {@link #block}
   */
  void dequantise(ByteBuffer from, int at, float[] into, int offset, int count) {
    for (int i = 0; i < count; i += block) {
      dequantiseBlock(from, at + i / block * bytes, into, offset + i);
    }
  }

  private void dequantiseBlock(ByteBuffer from, int at, float[] into, int offset) {
    switch (this) {
      case F32 -> into[offset] = from.getFloat(at);
      case F16 -> into[offset] = half(from, at);
      case BF16 -> into[offset] = Float.intBitsToFloat(from.getShort(at) << 16);
      case Q4_0 -> nibbles(from, at + HALF, half(from, at), 0, 8, into, offset);
      case Q4_1 -> shiftedNibbles(from, at + 2 * HALF, at, 0, into, offset);
      case Q5_0 -> {
        int high = from.getInt(at + HALF);
        nibbles(from, at + HALF + Integer.BYTES, half(from, at), high, 16, into, offset);
      }
      case Q5_1 -> {
        int high = from.getInt(at + 2 * HALF);
        shiftedNibbles(from, at + 2 * HALF + Integer.BYTES, at, high, into, offset);
      }
      case Q8_0 -> {
        float scale = half(from, at);
        for (int i = 0; i < BLOCK; i++) {
          into[offset + i] = from.get(at + HALF + i) * scale;
        }
      }
      case Q4_K -> superBlock(from, at, at + 2 * HALF + SCALES, -1, into, offset);
      case Q5_K -> {
        int high = at + 2 * HALF + SCALES;
        superBlock(from, at, high + PART, high, into, offset);
      }
      case Q6_K -> superBlockOfSix(from, at, into, offset);
    }
  }

  private static float half(ByteBuffer from, int at) {
    return DType.half(from.getShort(at));
  }

  /**
   * A block's i-th integer: a byte's lower half for the first half of a block, the upper for the
   * second, and the i-th bit of {@code high} above it.
   */
  private static int integer(ByteBuffer from, int at, int high, int i) {
    int pair = from.get(at + i % (BLOCK / 2));
    int low = (i < BLOCK / 2 ? pair : pair >> 4) & 0xf;
    return low | (high >>> i & 1) << 4;
  }

  /** Scale times (integer − zero). */
  private static void nibbles(
      ByteBuffer from, int at, float scale, int high, int zero, float[] into, int offset) {
    for (int i = 0; i < BLOCK; i++) {
      into[offset + i] = scale * (integer(from, at, high, i) - zero);
    }
  }

  /** Scale times integer, plus minimum; both stand at the block's begin. */
  private static void shiftedNibbles(
      ByteBuffer from, int at, int begin, int high, float[] into, int offset) {
    float scale = half(from, begin);
    float minimum = half(from, begin + HALF);
    for (int i = 0; i < BLOCK; i++) {
      into[offset + i] = scale * integer(from, at, high, i) + minimum;
    }
  }

  /**
   * Q4_K and Q5_K: eight parts, each with a scale and a minimum of 6 bits, which have a scale each.
   *
   * @param low where the lower four bits are: a byte for part 2k and one for part 2k + 1
   * @param high where the fifth bits are, a byte's bit for each part; negative if there are none
   */
  private static void superBlock(
      ByteBuffer from, int at, int low, int high, float[] into, int offset) {
    float scale = half(from, at);
    float minimum = half(from, at + HALF);
    int packed = at + 2 * HALF;
    for (int part = 0; part < SUPER / PART; part++) {
      float partScale = scale * sixBits(from, packed, part, 0);
      float partMinimum = minimum * sixBits(from, packed, part, 4);
      for (int i = 0; i < PART; i++) {
        int pair = from.get(low + part / 2 * PART + i);
        int integer = (part % 2 == 0 ? pair : pair >> 4) & 0xf;
        if (high >= 0) {
          integer |= (from.get(high + i) >> part & 1) << 4;
        }
        into[offset + part * PART + i] = partScale * integer - partMinimum;
      }
    }
  }

  /**
   * One of eight scales (skip 0) or minima (skip 4): the first four are the lower six bits of a
   * byte; of the others four bits are in the last bytes, two in the upper bits of the first.
   */
  private static int sixBits(ByteBuffer from, int packed, int part, int skip) {
    if (part < 4) {
      return from.get(packed + skip + part) & 0x3f;
    }
    int pair = from.get(packed + 8 + part - 4);
    int low = (skip == 0 ? pair : pair >> 4) & 0xf;
    return low | (from.get(packed + skip + part - 4) >> 6 & 3) << 4;
  }

  /** Q6_K: sixteen parts of sixteen with a scale of eight bits; four bits low, two high. */
  private static void superBlockOfSix(ByteBuffer from, int at, float[] into, int offset) {
    int high = at + SUPER / 2;
    int scales = high + SUPER / 4;
    float scale = half(from, scales + SUPER / 16);
    for (int i = 0; i < SUPER; i++) {
      int side = i / 128;
      int quarter = i % 128 / PART;
      int pair = from.get(at + side * 64 + i % 64);
      int low = (quarter < 2 ? pair : pair >> 4) & 0xf;
      int two = from.get(high + side * PART + i % PART) >> 2 * quarter & 3;
      float partScale = scale * from.get(scales + i / 16);
      into[offset + i] = partScale * ((low | two << 4) - 32);
    }
  }
}
