package org.vstar.env.webshop.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.vstar.env.Answer;
import org.vstar.env.Outcome;
import org.vstar.env.Turn;

class WordSubstitutionTest {

  private static Turn turn(String observation, String thought, String action) {
    return new Turn(
        observation, new Answer(thought, action), new Outcome(0, false, false, true, "seen"));
  }

  @Test
  void wordsBecomeOtherWordsAndNumbersOtherNumbersButWhatIsKeptStays() {
    WordSubstitution substitution =
        new WordSubstitution(
            Collections.nCopies(5, "red blue lamp 21 25 119 300 1 2 search open left yes"),
            List.of("1 2 search open left yes"));
    List<Turn> turns =
        List.of(
            turn("2 left. 1 red lamp 21.25; 2 blue lamp", "red yes", "open 1"),
            turn("1 left. red lamp, 21.25", "red yes", "search red lamp 21.25"));
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      WordSubstitution.Drawn drawn = substitution.draw(new SplittableRandom(seed));
      List<Turn> other = drawn.substituted(turns);
      assertThat(drawn.restored(other.get(1).answer().action())).isEqualTo("search red lamp 21.25");
      String first = other.get(0).observation();
      assertThat(first).matches("2 left\\. 1 [a-z]+ [a-z]+ \\d+\\.\\d+; 2 [a-z]+ [a-z]+");
      assertThat(other.get(0).answer().action()).isEqualTo("open 1");
      String[] words = first.split(" ");
      assertThat(other.get(1).answer().action())
          .isEqualTo("search " + words[3] + " " + words[4] + " " + words[5].replace(";", ""));
      assertThat(other.get(1).answer().thought()).isEqualTo(words[3] + " yes");
      seen.add(words[5]);
    }
    assertThat(seen.stream().filter(n -> !n.equals("21.25;")).collect(Collectors.toSet()))
        .hasSizeGreaterThan(2);
  }

  @Test
  void aWordOfLettersAndDigitsBecomesAnotherOfItsForm() {
    WordSubstitution substitution = new WordSubstitution(List.of("2pcs 24x24"), List.of("a4"));
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 20; seed++) {
      WordSubstitution.Drawn drawn = substitution.draw(new SplittableRandom(seed));
      String other = drawn.substituted("2pcs-24x24 a4 2pcs");
      assertThat(other).matches("(\\d[a-z]{3})-\\d\\d[a-z]\\d\\d a4 \\1");
      assertThat(drawn.restored(other)).isEqualTo("2pcs-24x24 a4 2pcs");
      seen.add(other);
    }
    assertThat(seen).hasSizeGreaterThan(15);
  }

  @Test
  void wordsKeepTheirEndingsAndPricesTheirOrder() {
    WordSubstitution substitution =
        new WordSubstitution(
            Collections.nCopies(5, "pillow curtain sofa table chair 7 9"), List.of("size"));
    for (int seed = 0; seed < 20; seed++) {
      WordSubstitution.Drawn drawn = substitution.draw(new SplittableRandom(seed));
      String[] words = drawn.substituted("pillow pillows size").split(" ");
      assertThat(words[1]).isEqualTo(words[0] + "s");
      assertThat(words[2]).isEqualTo("size");
      assertThat(drawn.restored("choose " + words[1])).isEqualTo("choose pillows");
      String[] prices = drawn.substituted("$29 $30 $31 lower than 30 dollars").split("\\D+");
      long[] price = Arrays.stream(prices).skip(1).mapToLong(Long::parseLong).toArray();
      assertThat(price[0]).isBetween(29L, 87L).isLessThan(price[1]);
      assertThat(price[1]).isEqualTo(price[3]).isLessThan(price[2]);
    }
  }

  @Test
  void pricesThatAreRaisedGrowByOneSumSoTheirDifferencesStay() {
    String text = "$2 $20-40 lower than 260.00 dollars";
    WordSubstitution substitution = new WordSubstitution(List.of(text), List.of("than"));
    int raised = 0;
    for (int seed = 0; seed < 200; seed++) {
      WordSubstitution.Drawn drawn = substitution.draw(new SplittableRandom(seed), 0, 0.5);
      String other = drawn.substituted(text);
      assertThat(drawn.restored(other)).isEqualTo(text);
      String[] numbers = other.split("[^\\d.]+");
      double[] price = Arrays.stream(numbers).skip(1).mapToDouble(Double::parseDouble).toArray();
      double factor = (price[3] - price[0]) / 258;
      assertThat(factor).isBetween(0.99, 3.01);
      assertThat(price[2] - price[1]).isCloseTo(20 * factor, Offset.offset(2.0));
      double sum = price[0] - 2 * factor;
      assertThat(sum).isBetween(-1.0, 400.0);
      raised += sum > 2 ? 1 : 0;
    }
    assertThat(raised).isBetween(70, 130);
  }

  @Test
  void soManyWordsBecomeRareOnesAsTheShareSays() {
    List<String> text =
        new ArrayList<>(Collections.nCopies(5, "sofa table chair lamp mirror shelf"));
    text.add("zilbat 8oz ärmol sofaandtableset x1 7 !");
    WordSubstitution substitution = new WordSubstitution(text, List.of("size"));
    Set<String> rare = Set.of("zilbat", "ärmol");
    int[] shares = {0, 50, 100};
    int[] found = new int[shares.length];
    for (int i = 0; i < shares.length; i++) {
      for (int seed = 0; seed < 400; seed++) {
        WordSubstitution.Drawn drawn =
            substitution.draw(new SplittableRandom(seed), shares[i] / 100.0);
        String word = drawn.substituted("sofa");
        found[i] += rare.contains(word) ? 1 : 0;
        assertThat(drawn.restored(word)).isEqualTo("sofa");
      }
    }
    assertThat(found[0]).isZero();
    assertThat(found[1]).isBetween(160, 240);
    assertThat(found[2]).isEqualTo(400);
  }

  /** As it was before there were rare words and raised prices. */
  @Test
  void aSeedMeansTheSameWhereNoShareIsGiven() {
    WordSubstitution substitution =
        new WordSubstitution(Collections.nCopies(5, "sofa table chair lamp mirror"), List.of());
    assertThat(substitution.draw(new SplittableRandom(2)).substituted("sofa lamp $21.25"))
        .isEqualTo("sofa chair $42.96");
  }
}
