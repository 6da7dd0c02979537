package org.vstar.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefaultTest {

  private enum Colour {
    RED,
    BLUE
  }

  private record Inner(@Default("0.5") double share, @Default("[1, 2]") List<Integer> numbers) {
    Inner {
      InvalidInputException.requireProbability("share", share);
    }
  }

  private record Outer(
      String name,
      @Default("3") int count,
      @Default("true") boolean on,
      @Default("red shoes") String words,
      @Default("BLUE") Colour colour,
      @Default("{}") Inner inner,
      @OptionalKey Integer nothing) {}

  @TempDir Path folder;

  private Outer read(String yaml, Map<String, String> settings) throws IOException {
    Path file = Files.writeString(folder.resolve("c.yaml"), yaml);
    return new ConfigFile().read(file, settings, Outer.class);
  }

  @Test
  void whatIsLeftOutHasTheValueThatItsComponentNames() throws IOException {
    Outer read = read("name: a\n", Map.of());
    Inner inner = new Inner(0.5, List.of(1, 2));
    assertThat(read).isEqualTo(new Outer("a", 3, true, "red shoes", Colour.BLUE, inner, null));
  }

  @Test
  void whatIsThereGoesBeforeDefaultsAtAnyDepth() throws IOException {
    Outer read = read("name: a\ncolour: RED\ninner: {numbers: []}\n", Map.of("count", "0"));
    assertThat(read.count()).isZero();
    assertThat(read.colour()).isEqualTo(Colour.RED);
    assertThat(read.inner()).isEqualTo(new Inner(0.5, List.of()));
  }

  @Test
  void aSettingMakesTheSectionThatAConfigLeavesOut() throws IOException {
    assertThat(read("name: a\n", Map.of("inner.share", "1")).inner().share()).isEqualTo(1);
    assertThatThrownBy(() -> read("name: a\n", Map.of("inner.share", "2")))
        .hasMessageContaining("'share' is 2.0, expected a probability");
    assertThatThrownBy(() -> read("name: a\n", Map.of("iner.share", "1")))
        .hasMessageContaining("--set iner.share=1: unknown key 'iner', did you mean 'inner'?");
  }

  @Test
  void aKeyWithoutADefaultHasToBeThereAndAnEmptyOneIsRefused() {
    assertThatThrownBy(() -> read("count: 1\n", Map.of())).hasMessageContaining("name");
    assertThatThrownBy(() -> read("name: a\ncount:\n", Map.of()))
        .hasMessageContaining("key 'count' is empty");
  }
}
