package org.vstar.model.engine.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.vector.FlatTensors.Slice;

class InitializationTest {

  private static final int VOCABULARY = 48;
  private static final ModelConfig SHAPE = new ModelConfig(2, 64, 4, 2, 32, 256, 500, 1e-5, true);

  private static float[] draw(ModelConfig shape, boolean copying) {
    return new Initialization(0.09, 0.3, copying).draw(shape, VOCABULARY, 1);
  }

  /** Logit that biases alone give a key this many tokens back; rotation as in the transformer. */
  private static double logit(float[] weights, int back) {
    Slice bias = new ParameterLayout(SHAPE, VOCABULARY).block(0).qkvBias();
    int half = SHAPE.headWidth() / 2;
    double sum = 0;
    for (int i = 0; i < half; i++) {
      double angle = back * Math.pow(SHAPE.ropeTheta(), -(double) i / half);
      double qx = weights[bias.offset() + i];
      double qy = weights[bias.offset() + i + half];
      double kx = weights[bias.offset() + SHAPE.width() + i];
      double ky = weights[bias.offset() + SHAPE.width() + i + half];
      double turnedX = qx * Math.cos(angle) - qy * Math.sin(angle);
      double turnedY = qx * Math.sin(angle) + qy * Math.cos(angle);
      sum += turnedX * kx + turnedY * ky;
    }
    return sum / Math.sqrt(SHAPE.headWidth());
  }

  @Test
  void aHeadOfTheFirstBlockLooksAtTheTokenBefore() {
    float[] weights = draw(SHAPE, true);
    double before = logit(weights, 1);
    for (int back = 0; back < 200; back++) {
      if (back != 1) {
        assertThat(logit(weights, back)).as("%d back", back).isLessThan(before - 5.99);
      }
    }
  }

  @Test
  void aHeadOfLaterBlocksLooksForWhatIsLikeThePresentToken() {
    float[] weights = draw(SHAPE, true);
    Slice qkv = new ParameterLayout(SHAPE, VOCABULARY).block(1).qkv();
    for (int row = 0; row < SHAPE.width(); row++) {
      for (int i = 0; i < SHAPE.headWidth(); i++) {
        int query = qkv.offset() + row * qkv.columns() + i;
        assertThat(weights[query + SHAPE.width()]).isEqualTo(weights[query]).isNotZero();
      }
    }
  }

  @Test
  void copyingNeedsBiasesAndChangesNothingElse() {
    ModelConfig without = new ModelConfig(2, 64, 4, 2, 32, 256, 500, 1e-5, false);
    assertThatThrownBy(() -> draw(without, true))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("model.qkvBias: true");
    float[] plain = draw(SHAPE, false);
    float[] copying = draw(SHAPE, true);
    int changed = 0;
    for (int i = 0; i < plain.length; i++) {
      changed += plain[i] == copying[i] ? 0 : 1;
    }
    int biases = SHAPE.headWidth() / 2 * 3;
    assertThat(changed).isEqualTo(biases + SHAPE.width() * SHAPE.headWidth());
  }
}
