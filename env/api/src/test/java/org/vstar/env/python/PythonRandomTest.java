package org.vstar.env.python;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PythonRandomTest {

  @Test
  void drawsTheBitsThatCPythonDraws() {
    PythonRandom random = new PythonRandom(233);
    assertThat(IntStream.range(0, 5).mapToObj(i -> random.bits(32)).toList())
        .containsExactly(2931216007L, 3446561803L, 2698614761L, 748818161L, 2255607332L);
  }

  @Test
  void drawsTheFloatsThatCPythonDraws() {
    PythonRandom random = new PythonRandom(233);
    assertThat(random.random()).isEqualTo(0.6824769139473528);
    assertThat(random.random()).isEqualTo(0.6283202109809801);
    assertThat(random.random()).isEqualTo(0.5251745077282681);
  }

  @Test
  void shufflesAsCPythonShuffles() {
    List<Integer> order = new ArrayList<>(IntStream.range(0, 6910).boxed().toList());
    new PythonRandom(233).shuffle(order);
    assertThat(order)
        .startsWith(3963, 2638, 2193, 1856, 4358, 6149, 2504, 3220, 705, 1072)
        .doesNotHaveDuplicates();
  }
}
