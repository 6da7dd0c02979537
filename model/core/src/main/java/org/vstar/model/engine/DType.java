package org.vstar.model.engine;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.Stream;

/** The type of stored numbers, or of computations. */
public enum DType {
  /** IEEE binary32. */
  FLOAT32("float32", "F32", 4),
  /** IEEE binary16: 5 bits of exponent, 10 of fraction. */
  FLOAT16("float16", "F16", 2),
  /** The upper half of a float32. */
  BFLOAT16("bfloat16", "BF16", 2);

  private final String torchName;
  private final String safetensorsName;
  private final int bytes;

  DType(String torchName, String safetensorsName, int bytes) {
    this.torchName = torchName;
    this.safetensorsName = safetensorsName;
    this.bytes = bytes;
  }

  /** What PyTorch and configs call it. */
  public String torchName() {
    return torchName;
  }

  /** What safetensors files call it. */
  public String safetensorsName() {
    return safetensorsName;
  }

  /** Bytes of one number. */
  public int bytes() {
    return bytes;
  }

  /** The type of PyTorch's name. */
  public static Optional<DType> ofTorch(String name) {
    return Stream.of(values()).filter(type -> type.torchName.equals(name)).findFirst();
  }

  /** The type of a safetensors file's name. */
  public static Optional<DType> ofSafetensors(String name) {
    return Stream.of(values()).filter(type -> type.safetensorsName.equals(name)).findFirst();
  }

  /** Reads little-endian numbers from a buffer's position on. */
  public void read(ByteBuffer from, float[] into, int offset, int count) {
    switch (this) {
      case FLOAT32 -> from.asFloatBuffer().get(into, offset, count);
      case BFLOAT16 -> {
        for (int i = 0; i < count; i++) {
          into[offset + i] = Float.intBitsToFloat(from.getShort(from.position() + 2 * i) << 16);
        }
      }
      case FLOAT16 -> {
        for (int i = 0; i < count; i++) {
          into[offset + i] = half(from.getShort(from.position() + 2 * i));
        }
      }
    }
  }

  /** The value of an IEEE binary16. */
  public static float half(short bits) {
    int sign = (bits & 0x8000) << 16;
    int exponent = bits >> 10 & 0x1f;
    int fraction = bits & 0x3ff;
    if (exponent == 0x1f) {
      return Float.intBitsToFloat(sign | 0x7f800000 | fraction << 13);
    }
    float magnitude =
        exponent == 0
            ? fraction * 0x1p-24f
            : Float.intBitsToFloat(exponent + 112 << 23 | fraction << 13);
    return sign == 0 ? magnitude : -magnitude;
  }

  /** Writes numbers at a buffer's position, rounding to the nearest, ties to even. */
  public void write(float[] from, int offset, int count, ByteBuffer into) {
    for (int i = 0; i < count; i++) {
      float x = from[offset + i];
      switch (this) {
        case FLOAT32 -> into.putFloat(x);
        case BFLOAT16 -> into.putShort(toBfloat16(x));
        case FLOAT16 -> into.putShort(toHalf(x));
      }
    }
  }

  private static short toBfloat16(float x) {
    int bits = Float.floatToIntBits(x);
    int even = bits >> 16 & 1;
    return (short) (Float.isNaN(x) ? bits >> 16 | 0x40 : bits + 0x7fff + even >> 16);
  }

  private static short toHalf(float x) {
    int bits = Float.floatToIntBits(x);
    int sign = bits >> 16 & 0x8000;
    float magnitude = Math.abs(x);
    if (Float.isNaN(x)) {
      return (short) (sign | 0x7e00);
    }
    if (magnitude < 0x1p-14f) {
      // Steps of 2⁻²⁴; rint rounds ties to even.
      return (short) (sign | (int) Math.rint(magnitude * 0x1p24f));
    }
    int rounded = (bits & 0x7fffffff) + 0xfff + (bits >> 13 & 1);
    int half = (rounded >> 13) - (112 << 10);
    return (short) (sign | Math.min(half, 0x7c00));
  }
}
