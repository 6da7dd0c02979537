package org.vstar.env.webshop.goal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InstructionTest {

  private static final String REQUEST =
      Instruction.BEGIN + "machine washable rugs with anti slip for living room";

  private static String written(double upper) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("color", "red, and white");
    options.put("size", "5 with box");
    return Instruction.withPrice(Instruction.withOptions(REQUEST, options), upper);
  }

  @Test
  void whatIsWrittenIsReadBack() {
    String written = written(40);
    assertThat(written)
        .isEqualTo(
            REQUEST
                + " with color: red, and white, and size: 5 with box"
                + ", and price lower than 40.00 dollars");
    assertThat(Instruction.options(written))
        .containsExactly("color: red, and white", "size: 5 with box");
    assertThat(Instruction.values(written)).containsExactly("red, and white", "5 with box");
    assertThat(Instruction.maxPrice(written)).isEqualTo(40);
    assertThat(Instruction.withoutPrice(written)).isEqualTo(written(Instruction.UNBOUNDED));
    assertThat(Instruction.withoutOptions(Instruction.wanted(written)))
        .isEqualTo("machine washable rugs with anti slip for living room");
    assertThat(Instruction.withoutQualifiers(Instruction.wanted(written)))
        .isEqualTo("machine washable rugs");
  }

  @Test
  void anInstructionWithoutPriceAndOptionsIsItsRequest() {
    String written = Instruction.withPrice(REQUEST, Instruction.UNBOUNDED);
    assertThat(written).isEqualTo(REQUEST);
    assertThat(Instruction.options(written)).isEmpty();
    assertThat(Instruction.maxPrice(written)).isInfinite();
    assertThat(Instruction.withShortPrice(written)).isEqualTo(REQUEST);
  }

  @Test
  void aPriceIsShortenedWithoutItsZeros() {
    assertThat(Instruction.withShortPrice(written(110))).endsWith(", and price lower than $110");
    assertThat(Instruction.withShortPrice("under 12.50 dollars")).isEqualTo("under $12.50");
  }
}
