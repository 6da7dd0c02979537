package org.vstar.spark.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;

class FuzzTest {

  /** What a reader does. */
  private interface Reader {
    void read() throws Exception;
  }

  private static Fuzz.Tally tally(Reader reader) {
    Fuzz.Tally tally = new Fuzz.Tally();
    Target target =
        new Target() {
          @Override
          public String name() {
            return "test";
          }

          @Override
          public void attack(SplittableRandom random) throws Exception {
            reader.read();
          }
        };
    new Fuzz().run(target, 1, tally);
    return tally;
  }

  @Test
  void whatIsTakenOrRefusedInOneLineIsNoFinding() {
    assertThat(tally(() -> {}).taken()).isEqualTo(1);
    Fuzz.Tally refused =
        tally(
            () -> {
              throw new InvalidInputException("x.yaml:3: unknown key");
            });
    assertThat(refused.refused()).isEqualTo(1);
    assertThat(refused.findings()).isEmpty();
  }

  @Test
  void tracesErrorsEmptyMessagesAndUnnoticedChangesAreFindings() {
    Reader[] readers = {
      () -> {
        throw new IllegalStateException("a trace");
      },
      () -> {
        throw new IOException("a trace");
      },
      () -> {
        throw new StackOverflowError();
      },
      () -> {
        throw new InvalidInputException("");
      },
      () -> Target.requireEqual("a number", 1.0, 2.0)
    };
    for (Reader reader : readers) {
      assertThat(tally(reader).findings()).hasSize(1);
    }
    assertThat(tally(readers[4]).findings().get(0))
        .contains("an unnoticed change of a number: 1.0 became 2.0");
  }

  @Test
  void theSameSeedMakesTheSameChangesAndOthersOthers() throws IOException {
    byte[] json =
        "{\"a\": [1, 2, {\"b\": true}], \"c\": \"text\"}".getBytes(StandardCharsets.UTF_8);
    Set<String> changed = new HashSet<>();
    for (long seed = 0; seed < 200; seed++) {
      String once =
          new String(Mutation.json(new SplittableRandom(seed), json), StandardCharsets.UTF_8);
      assertThat(
              new String(Mutation.json(new SplittableRandom(seed), json), StandardCharsets.UTF_8))
          .isEqualTo(once);
      changed.add(once);
      String text = Mutation.text(new SplittableRandom(seed), "a: 1\nb: [2, 3]\n");
      assertThat(Mutation.text(new SplittableRandom(seed), "a: 1\nb: [2, 3]\n")).isEqualTo(text);
    }
    assertThat(changed).hasSizeGreaterThan(60);
  }
}
