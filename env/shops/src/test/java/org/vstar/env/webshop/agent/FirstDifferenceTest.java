package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vstar.env.Answer;
import org.vstar.env.Outcome;
import org.vstar.env.Turn;

class FirstDifferenceTest {

  private static final String PAGE =
      "13 left. 1 color, size; color · light gray · type 3-pink · red; size · 11.5 wide · 11-12.";

  @ParameterizedTest
  @CsvSource({
    "green, green",
    "light blue 2, light blue",
    "light, light",
    "lightest gray, lightest",
    "type 3-camel, type 3-camel",
    "type 3-pink (2), type 3-pink (",
    "type 33, type 33",
    "11.5, 11.5",
    "11.25, 11.25",
    "gray light, gray",
    "pinkish red, pinkish",
  })
  void aValueThatIsNotThereIsSaidUpToWhereItDiffers(String value, String said) {
    assertThat(thought(PAGE, "color yes; color · " + value + " no; size · 11-12 yes"))
        .isEqualTo("color yes; color · " + said + " no; size · 11-12 yes");
    assertThat(thought(PAGE, "color · " + value + " no")).isEqualTo("color · " + said + " no");
  }

  @Test
  void whereAProductHasNoOptionsTheFirstWordDiffers() {
    assertThat(thought("13 left. 1 no options.", "color · light gray no; size · 11-12 no"))
        .isEqualTo("color · light no; size · 11 no");
  }

  @Test
  void laterThoughtsAreOfTheProductThatWasShownLast() {
    String other = "11 left. 2 color; color · light blue.";
    String thought = "color · light gray 2 no; size · 11-12 next";
    List<Turn> turns =
        FirstDifference.of(
            List.of(turn(PAGE, ""), turn(other, ""), turn("10 left. chosen size: 9.", thought)));
    assertThat(turns.get(2).answer().thought())
        .isEqualTo("color · light gray no; size · 11-12 next");
  }

  @Test
  void pagesOfFeaturesAndOfOtherDialoguesAreNoProducts() {
    String features = "12 left. 6 hooks · light; easy · light blue 2.";
    Turn reads = turn(features, "color · light red 2 no");
    assertThat(FirstDifference.of(List.of(turn(PAGE, ""), reads)).get(1).answer().thought())
        .isEqualTo("color · light red no");
    assertThat(FirstDifference.of(List.of(reads))).containsExactly(reads);
    String original = "Instruction: [SEP] Find me · light [SEP] Buy Now";
    assertThat(thought(original, "color · light blue no")).isEqualTo("color · light blue no");
  }

  @Test
  void whatIsThereAndWhatIsDoneStayAsTheyAre() {
    List<Turn> turns =
        List.of(
            new Turn(
                PAGE,
                new Answer("color · type 4 yes; size · 9 chosen; style no", "choose no value no"),
                new Outcome(0, false, false, true, "seen"),
                true));
    assertThat(FirstDifference.of(turns)).isEqualTo(turns);
  }

  private static String thought(String page, String thought) {
    return FirstDifference.of(List.of(turn(page, thought))).get(0).answer().thought();
  }

  private static Turn turn(String page, String thought) {
    return new Turn(page, new Answer(thought, "back"), new Outcome(0, false, false, true, "seen"));
  }
}
