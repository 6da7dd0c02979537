package org.vstar.model.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.env.AnswerFormat;
import org.vstar.model.SmallShop;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;

class PolicyTest {

  private final Policy policy = SmallShop.policy(SmallShop.environment(), 1);

  @Test
  void fingerprintChangesWithASingleWeight() {
    assertThat(policy.copy().fingerprint()).isEqualTo(policy.fingerprint());
    float[] weights = SmallShop.weights(policy);
    weights[77] += 1e-6f;
    Policy other =
        new Policy(
            SmallShop.engine(
                policy.engine().config(),
                policy.engine().vocabulary(),
                weights,
                EngineOptions.ONE_THREAD),
            policy.tokenizer(),
            policy.chat());
    assertThat(other.fingerprint()).isNotEqualTo(policy.fingerprint());
  }

  @Test
  void aTokenizerWithoutTheChatTemplatesMarksIsRefused() {
    Tokenizer bare =
        new Tokenizer(WordVocabulary.build(List.of("a b"), AnswerFormat.ANSWER, List.of()));
    assertThatThrownBy(() -> new Policy(policy.engine(), bare, policy.chat()))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("the tokenizer has no token '<|obs|>'");
  }
}
