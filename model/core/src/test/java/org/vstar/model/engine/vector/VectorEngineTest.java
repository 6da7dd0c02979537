package org.vstar.model.engine.vector;

import org.vstar.model.engine.AdapterContract;
import org.vstar.model.engine.CheckpointContract;
import org.vstar.model.engine.EngineContract;
import org.vstar.model.engine.EngineKind;

class VectorEngineTest implements EngineContract, AdapterContract, CheckpointContract {

  @Override
  public EngineKind kind() {
    return EngineKind.of(VectorEngine.KIND);
  }
}
