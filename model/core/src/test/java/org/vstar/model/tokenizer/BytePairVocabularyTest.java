package org.vstar.model.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.AnswerFormat;
import org.vstar.model.chat.EpisodeMarks;

class BytePairVocabularyTest {

  private static final EpisodeMarks CHAT = new EpisodeMarks();
  private static final List<String> TEXT =
      List.of("low low low low low", "lower lower", "newest newest newest", "Newest NEWEST", "$7");

  private static Tokenizer tokenizer(int pieces) {
    return new Tokenizer(BytePairVocabulary.build(TEXT, pieces, AnswerFormat.ANSWER, CHAT.marks()));
  }

  @Test
  void theMostFrequentPairIsMergedFirstAndOfEqualsTheSmaller() {
    BytePairMerges merges = new BytePairMerges(Map.of("low", 5, "lower", 2, "newest", 6), 1000);
    List<int[]> learned = merges.learn(4);
    // "we" 8 times; then "lo" 7 times; "e|st" and its like 6 times, the smallest letters first.
    assertThat(learned.get(0)).containsExactly('w', 'e');
    assertThat(learned.get(1)).containsExactly('l', 'o');
    assertThat(learned.get(2)).containsExactly('e', 1000);
    assertThat(learned).hasSize(4);
  }

  @Test
  void aPairThatOverlapsItselfIsMergedFromTheLeft() {
    BytePairMerges merges = new BytePairMerges(Map.of("aaaa", 3, "aaab", 2), 128);
    List<int[]> learned = merges.learn(10);
    assertThat(learned.get(0)).containsExactly('a', 'a');
    assertThat(learned.get(1)).containsExactly(128, 128);
    assertThat(learned.get(2)).containsExactly('a', 'b');
  }

  @Test
  void frequentWordsAreOneTokenWithTheSpaceBeforeThem() {
    Tokenizer tokenizer = tokenizer(300);
    assertThat(tokenizer.encode("low newest")).hasSize(2);
    assertThat(tokenizer.encode("<think>low</think>"))
        .containsExactly(
            tokenizer.id("<think>"), tokenizer.encode("low")[0], tokenizer.id("</think>"));
  }

  @Test
  void noTextIsUnknownAndAllOfItComesBack() {
    Tokenizer tokenizer = tokenizer(300);
    for (String text :
        List.of("zeppelin 18''x18'' | größe", "☑ 5x-large\ttab", "日本 $7.50 (pack)")) {
      assertThat(tokenizer.decode(tokenizer.encode(text)).strip()).isEqualTo(text);
    }
    assertThat(tokenizer.decode(tokenizer.encode("LOW")).strip()).isEqualTo("low");
  }

  @Test
  void textCannotMeanAMark() {
    Tokenizer tokenizer = tokenizer(300);
    int[] tokens = tokenizer.encodeText("a <think> b");
    assertThat(tokens).doesNotContain(tokenizer.id("<think>"));
  }

  @Test
  void theSizeIsWhatWasAskedForAndTheSameTextGivesTheSameVocabulary() {
    assertThat(tokenizer(270).size()).isEqualTo(270);
    // The text has no more pairs that occur twice.
    assertThat(tokenizer(3_000).size()).isLessThan(300);
    assertThat(tokenizer(270).json()).isEqualTo(tokenizer(270).json());
  }

  @Test
  void numbersBelowAThousandAreOneTokenInALargeVocabulary() {
    Tokenizer large = tokenizer(5_000);
    assertThat(large.encode("low$118")).hasSize(3);
    assertThat(large.encode("low$63-999")).hasSize(5);
    assertThat(tokenizer(300).encode("low$118").length).isGreaterThan(3);
  }

  @Test
  void tooFewPiecesAreRefused() {
    assertThatThrownBy(() -> tokenizer(256))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("warmStart.vocabularySize");
  }

  @Test
  void numbersAreKnownWhateverStandsBefore() {
    Tokenizer tokenizer = tokenizer(5000);
    int[] numbers = tokenizer.numbers();
    for (int number : new int[] {0, 7, 42, 999}) {
      int[] tokens = tokenizer.encode("$" + number);
      assertThat(numbers[tokens[tokens.length - 1]]).isEqualTo(number);
    }
    assertThat(numbers[tokenizer.encode("low")[0]]).isEqualTo(-1);
  }
}
