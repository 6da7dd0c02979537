package org.vstar.model.engine.libtorch;

import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.WeightSource;

/** The engine on a device of this machine, whatever its options say. */
record OnDevice(String device) implements EngineKind {

  @Override
  public String kind() {
    return LibTorchEngine.KIND;
  }

  @Override
  public Engine open(WeightSource weights, EngineOptions options) {
    return EngineKind.of(kind()).open(weights, options.on(device, options.dtype()));
  }
}
