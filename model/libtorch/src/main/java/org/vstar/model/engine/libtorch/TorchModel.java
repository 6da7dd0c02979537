package org.vstar.model.engine.libtorch;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.libtorch.TorchTransformer.Source;

/**
 * A model on a device.
 *
 * @param device as LibTorch names it
 * @param parameters of the type that is reckoned with
 */
record TorchModel(
    ModelConfig config,
    int vocabulary,
    EngineOptions options,
    String device,
    Parameters parameters) {

  TorchTransformer transformer() {
    return new TorchTransformer(config);
  }

  /** Whether the device is a GPU, which one thread keeps busy. */
  boolean onGpu() {
    return !device.equals(EngineOptions.CPU);
  }

  /** The model's own parameters. */
  Source source() {
    return over(parameters);
  }

  /** A pass over these parameters. */
  Source over(Parameters tensors) {
    return new Source() {
      @Override
      public Tensor get(String name) {
        return tensors.get(name);
      }

      @Override
      public Tensor project(Tensor x, Projection projection, int layer) {
        Tensor weight = tensors.get(projection.weight(layer));
        return projection.biased(config)
            ? torch.linear(x, weight, new TensorOptional(tensors.get(projection.bias(layer))))
            : torch.linear(x, weight);
      }
    };
  }
}
