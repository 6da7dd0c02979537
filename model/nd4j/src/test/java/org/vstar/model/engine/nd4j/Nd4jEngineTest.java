package org.vstar.model.engine.nd4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.AdapterContract;
import org.vstar.model.engine.CheckpointContract;
import org.vstar.model.engine.ContractCases;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.EngineContract;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;

class Nd4jEngineTest implements EngineContract, AdapterContract, CheckpointContract {

  @Override
  public EngineKind kind() {
    return EngineKind.of(Nd4jEngine.KIND);
  }

  private void assertRefused(EngineOptions options, String... parts) {
    assertThatThrownBy(() -> kind().open(ContractCases.weights(ContractCases.SHAPE), options))
        .isInstanceOf(InvalidInputException.class)
        .message()
        .contains(parts)
        .doesNotContain("\n");
  }

  @Test
  void whatTheBackendCannotDoIsOneLineThatSaysWhatCan() {
    EngineOptions one = EngineOptions.ONE_THREAD;
    assertRefused(one.on(EngineOptions.CPU, DType.BFLOAT16), "bfloat16", "engine: libtorch");
    assertRefused(
        one.on("cuda:0", DType.FLOAT32), "device is 'cuda:0'", "submit/build --cuda nd4j");
    Exception kernel = new IllegalStateException("no kernel image is available");
    assertThat(Backend.refusal(true, new RuntimeException(kernel)))
        .contains("no kernel image is available", "3.7 to 8.6 and 8.9", "engine libtorch")
        .doesNotContain("\n");
  }
}
