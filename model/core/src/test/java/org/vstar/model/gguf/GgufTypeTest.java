package org.vstar.model.gguf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vstar.common.Json;

class GgufTypeTest {

  /** Check values: src/test/python/gguf_blocks.py. */
  @ParameterizedTest
  @EnumSource
  void numbersAreThoseOfThePackageGgufToTheBit(GgufType type) throws Exception {
    JsonNode blocks;
    try (InputStream in = GgufTypeTest.class.getResourceAsStream("/gguf-blocks.json")) {
      blocks = Json.MAPPER.readTree(in).get(type.name());
    }
    byte[] bytes = HexFormat.of().parseHex(blocks.get("bytes").asText());
    ByteBuffer bits = ByteBuffer.wrap(HexFormat.of().parseHex(blocks.get("bits").asText()));
    float[] expected = new float[bits.remaining() / Float.BYTES];
    bits.asFloatBuffer().get(expected);
    float[] values = new float[1 + expected.length];

    type.dequantise(
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), 0, values, 1, expected.length);

    assertThat(type.bytes(expected.length)).isEqualTo(bytes.length);
    for (int i = 0; i < expected.length; i++) {
      assertThat(Float.floatToRawIntBits(values[1 + i]))
          .as("number %d", i)
          .isEqualTo(Float.floatToRawIntBits(expected[i]));
    }
  }
}
