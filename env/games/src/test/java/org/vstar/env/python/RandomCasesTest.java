package org.vstar.env.python;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.env.ragen.GameCases;

class RandomCasesTest {

  private static BigInteger seed(JsonNode of) {
    return new BigInteger(of.required("seed").asText());
  }

  @Test
  void numpysGeneratorDrawsWhatNumpyDraws() {
    for (JsonNode of : GameCases.cases(GameCases.file("rng.json"), "pcg64")) {
      NumpyGenerator longs = new NumpyGenerator(seed(of));
      for (JsonNode drawn : of.required("u64")) {
        assertThat(Long.toHexString(longs.bits64()))
            .isEqualTo(new BigInteger(drawn.asText(), 16).toString(16));
      }
      NumpyGenerator halves = new NumpyGenerator(seed(of));
      for (JsonNode drawn : of.required("u32")) {
        assertThat(Integer.toUnsignedLong(halves.bits32())).isEqualTo(drawn.asLong());
      }
      NumpyGenerator doubles = new NumpyGenerator(seed(of));
      for (JsonNode drawn : of.required("doubles")) {
        assertThat(doubles.random()).isEqualTo(drawn.asDouble());
      }
      for (JsonNode below : of.required("below")) {
        NumpyGenerator random = new NumpyGenerator(seed(of));
        for (JsonNode drawn : below.required("draws")) {
          assertThat(random.below(below.required("n").asLong())).isEqualTo(drawn.asLong());
        }
        assertThat(random.random()).isEqualTo(below.required("next").asDouble());
      }
      requireMixed(of);
    }
  }

  private static void requireMixed(JsonNode of) {
    NumpyGenerator random = new NumpyGenerator(seed(of));
    for (JsonNode call : of.required("mixed")) {
      switch (call.get(0).asText()) {
        case "below" ->
            assertThat(random.below(call.get(1).asLong())).isEqualTo(call.get(2).asLong());
        case "u32" ->
            assertThat(Integer.toUnsignedLong(random.bits32())).isEqualTo(call.get(1).asLong());
        case "double" -> assertThat(random.random()).isEqualTo(call.get(1).asDouble());
        default ->
            assertThat(Long.toUnsignedString(random.bits64(), 16)).isEqualTo(call.get(1).asText());
      }
    }
  }

  private static List<Integer> numbers(JsonNode list) {
    List<Integer> numbers = new ArrayList<>();
    list.forEach(each -> numbers.add(each.asInt()));
    return numbers;
  }

  @Test
  void pythonsGeneratorDrawsWhatPythonDraws() {
    for (JsonNode of : GameCases.cases(GameCases.file("rng.json"), "python")) {
      PythonRandom floats = new PythonRandom(seed(of));
      for (JsonNode drawn : of.required("random")) {
        assertThat(floats.random()).isEqualTo(drawn.asDouble());
      }
      for (JsonNode bits : of.required("bits")) {
        PythonRandom random = new PythonRandom(seed(of));
        int k = bits.required("k").asInt();
        for (JsonNode drawn : bits.path("draws")) {
          assertThat(random.manyBits(k)).isEqualTo(new BigInteger(drawn.asText()));
        }
        for (JsonNode drawn : bits.path("hex")) {
          assertThat(random.manyBits(k)).isEqualTo(new BigInteger(drawn.asText(), 16));
        }
        assertThat(bits.has("draws")).isNotEqualTo(bits.has("hex"));
        if (bits.has("next")) {
          assertThat(random.random()).isEqualTo(bits.required("next").asDouble());
        }
      }
      for (JsonNode between : of.required("randint")) {
        PythonRandom random = new PythonRandom(seed(of));
        for (JsonNode drawn : between.required("draws")) {
          assertThat(
                  random.between(between.required("low").asInt(), between.required("high").asInt()))
              .isEqualTo(drawn.asInt());
        }
        assertThat(random.random()).isEqualTo(between.required("next").asDouble());
      }
      requireChoices(of);
    }
  }

  private static void requireChoices(JsonNode of) {
    for (JsonNode choice : of.required("choice")) {
      PythonRandom random = new PythonRandom(seed(of));
      for (JsonNode drawn : choice.required("draws")) {
        assertThat(random.below(choice.required("n").asInt())).isEqualTo(drawn.asInt());
      }
      assertThat(random.random()).isEqualTo(choice.required("next").asDouble());
    }
    for (JsonNode sample : of.required("sample")) {
      PythonRandom random = new PythonRandom(seed(of));
      List<Integer> all = IntStream.range(0, sample.required("n").asInt()).boxed().toList();
      for (JsonNode drawn : sample.required("draws")) {
        assertThat(random.sample(all, sample.required("k").asInt())).isEqualTo(numbers(drawn));
      }
      assertThat(random.random()).isEqualTo(sample.required("next").asDouble());
    }
    for (JsonNode shuffle : of.required("shuffle")) {
      PythonRandom random = new PythonRandom(seed(of));
      for (JsonNode drawn : shuffle.required("draws")) {
        List<Integer> order =
            new ArrayList<>(IntStream.range(0, shuffle.required("n").asInt()).boxed().toList());
        random.shuffle(order);
        assertThat(order).isEqualTo(numbers(drawn));
      }
      assertThat(random.random()).isEqualTo(shuffle.required("next").asDouble());
    }
  }

  @Test
  void numpysLegacyGeneratorDrawsWhatNumpyDraws() {
    for (JsonNode of : GameCases.cases(GameCases.file("rng.json"), "legacy")) {
      long seed = seed(of).longValueExact();
      NumpyRandomState floats = new NumpyRandomState(seed);
      for (JsonNode drawn : of.required("rand")) {
        assertThat(floats.random()).isEqualTo(drawn.asDouble());
      }
      for (JsonNode below : of.required("randint")) {
        NumpyRandomState random = new NumpyRandomState(seed);
        for (JsonNode drawn : below.required("draws")) {
          assertThat(random.below(below.required("n").asLong())).isEqualTo(drawn.asLong());
        }
        assertThat(random.random()).isEqualTo(below.required("next").asDouble());
      }
      NumpyRandomState mixed = new NumpyRandomState(seed);
      for (JsonNode call : of.required("mixed")) {
        int n = call.get(0).asInt();
        assertThat(n == 0 ? mixed.random() : (double) mixed.below(n))
            .isEqualTo(call.get(1).asDouble());
      }
    }
  }
}
