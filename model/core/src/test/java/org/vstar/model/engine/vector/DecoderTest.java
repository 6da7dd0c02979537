package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.weights.Initialization;

class DecoderTest {

  private static final int VOCABULARY = 50;

  private final ModelConfig shape = new ModelConfig(2, 48, 3, 1, 64, 512, 10_000, 1e-5, true);
  private final Transformer transformer =
      new Transformer(
          shape, VOCABULARY, new Initialization(0.3, 0.3, false).draw(shape, VOCABULARY, 5));
  private final SplittableRandom random = new SplittableRandom(3);

  private int[] tokens(int n) {
    return random.ints(n, 0, VOCABULARY).toArray();
  }

  private static int[] joined(int[] first, int[] second) {
    return IntStream.concat(Arrays.stream(first), Arrays.stream(second)).toArray();
  }

  private float[] alone(int[] tokens) {
    return new Decoder(transformer, 1).extend(List.of(new Extension(0, tokens))).clone();
  }

  private float[] row(float[] logits, int row) {
    int v = transformer.vocabulary();
    return Arrays.copyOfRange(logits, row * v, (row + 1) * v);
  }

  @Test
  void sequencesOfOneStepThatBeginAlikeGiveTheBitsOfEachAlone() {
    int[] task = tokens(100);
    int[] other = joined(Arrays.copyOf(task, 70), tokens(20));
    int[] unlike = tokens(40);
    Decoder decoder = new Decoder(transformer, 4);
    float[] logits =
        decoder
            .extend(
                List.of(
                    new Extension(2, task),
                    new Extension(0, unlike),
                    new Extension(3, task),
                    new Extension(1, other)))
            .clone();
    assertThat(row(logits, 0)).isEqualTo(alone(task));
    assertThat(row(logits, 1)).isEqualTo(alone(unlike));
    assertThat(row(logits, 2)).isEqualTo(alone(task));
    assertThat(row(logits, 3)).isEqualTo(alone(other));
    float[] keys = decoder.cache(2).keys(0, 1, 0).data();
    assertThat(decoder.cache(3).keys(0, 1, 0).data()).isSameAs(keys);
    assertThat(decoder.cache(1).keys(0, 1, 0).data()).isSameAs(keys);
    assertThat(decoder.cache(0).keys(0, 1, 0).data()).isNotSameAs(keys);
  }

  @Test
  void aSequenceThatSharesItsBeginningGoesItsOwnWayAndOutlivesTheOther() {
    int[] task = tokens(90);
    int[] first = tokens(50);
    int[] second = tokens(50);
    Decoder decoder = new Decoder(transformer, 2);
    decoder.extend(List.of(new Extension(0, task)));
    decoder.extend(List.of(new Extension(0, first)));
    decoder.extend(List.of(new Extension(1, task)));
    assertThat(decoder.length(1)).isEqualTo(task.length);
    decoder.reset(0);
    decoder.extend(List.of(new Extension(0, tokens(200))));
    float[] logits = decoder.extend(List.of(new Extension(1, second)));
    assertThat(row(logits, 0)).isEqualTo(alone(joined(task, second)));
  }

  @Test
  void aStepThatWouldPassTheContextChangesNothing() {
    int[] task = tokens(90);
    Decoder decoder = new Decoder(transformer, 3);
    decoder.extend(List.of(new Extension(0, task)));
    assertThatThrownBy(
            () -> decoder.extend(List.of(new Extension(1, task), new Extension(2, tokens(600)))))
        .hasMessageContaining("slot 2 would pass the context");
    assertThat(decoder.length(1)).isZero();
    assertThat(row(decoder.extend(List.of(new Extension(1, task))), 0)).isEqualTo(alone(task));
  }

  @Test
  void onlyWholeBlocksOfTheSameTokensAreCommonAndNeverTheLastToken() {
    int block = KeyValueCache.BLOCK;
    KeyValueCache cache = new KeyValueCache(shape, transformer.layout(), 1);
    int[] first = tokens(3 * block + 5);
    cache.append(0, new float[first.length * transformer.layout().qkvWidth()], 0, first.length);
    cache.appended(first);
    assertThat(cache.common(first)).isEqualTo(3 * block);
    assertThat(cache.common(Arrays.copyOf(first, 2 * block))).isEqualTo(block);
    assertThat(cache.common(Arrays.copyOf(first, 2 * block + 1))).isEqualTo(2 * block);
    int[] unlike = first.clone();
    unlike[block + 3] = (unlike[block + 3] + 1) % VOCABULARY;
    assertThat(cache.common(unlike)).isEqualTo(block);
    cache.clear();
    assertThat(cache.common(first)).isZero();
  }
}
