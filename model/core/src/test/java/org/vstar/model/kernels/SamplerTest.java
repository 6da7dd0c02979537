package org.vstar.model.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;

class SamplerTest {

  private static final int VOCABULARY = 16;
  private static final int DRAWS = 40_000;

  private static float[] logits() {
    float[] logits = new float[VOCABULARY];
    java.util.Arrays.fill(logits, -50);
    logits[3] = (float) Math.log(0.5);
    logits[5] = (float) Math.log(0.3);
    logits[9] = (float) Math.log(0.2);
    return logits;
  }

  private static double[] frequencies(double temperature, double topP, BitSet allowed) {
    SplittableRandom random = new SplittableRandom(2);
    double[] frequencies = new double[VOCABULARY];
    for (int i = 0; i < DRAWS; i++) {
      Choice choice = new Choice(random.nextDouble(), allowed, temperature, topP);
      frequencies[Sampler.draw(logits(), 0, VOCABULARY, choice).token()] += 1.0 / DRAWS;
    }
    return frequencies;
  }

  @Test
  void drawsTokensAtTheirProbabilities() {
    double[] f = frequencies(1, 1, null);
    assertThat(f[3]).isCloseTo(0.5, within(0.01));
    assertThat(f[5]).isCloseTo(0.3, within(0.01));
    assertThat(f[9]).isCloseTo(0.2, within(0.01));
  }

  @Test
  void temperatureSharpensTheDistribution() {
    double[] f = frequencies(0.5, 1, null);
    assertThat(f[3]).isCloseTo(0.25 / 0.38, within(0.01));
  }

  @Test
  void topPDrawsFromTheSmallestSetThatReachesIt() {
    double[] f = frequencies(1, 0.7, null);
    assertThat(f[9]).isZero();
    assertThat(f[3]).isCloseTo(0.625, within(0.01));
  }

  @Test
  void temperatureZeroTakesTheMostLikely() {
    assertThat(frequencies(0, 1, null)[3]).isCloseTo(1, within(1e-9));
  }

  @Test
  void onlyAllowedTokensAreDrawnAndTheirProbabilitiesAreRenormalised() {
    BitSet allowed = new BitSet();
    allowed.set(5);
    allowed.set(9);
    double[] f = frequencies(1, 1, allowed);
    assertThat(f[5]).isCloseTo(0.6, within(0.01));
    Draw draw = Sampler.draw(logits(), 0, VOCABULARY, new Choice(0.3, allowed, 1, 1));
    double expected = draw.token() == 5 ? 0.6 : 0.4;
    assertThat((double) draw.logProbability()).isCloseTo(Math.log(expected), within(1e-5));
  }
}
