package org.vstar.model.engine.libtorch;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.LoraConfig;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.libtorch.TorchTransformer.Source;

/**
 * A model on a device.
 *
 * @param device as LibTorch names it
 * @param parameters of the type that is computed with
 * @param lora null if the model is not adapted
 * @param adapter its tensors, of the same type, or null
 */
record TorchModel(
    ModelConfig config,
    int vocabulary,
    EngineOptions options,
    String device,
    Parameters parameters,
    LoraConfig lora,
    Parameters adapter) {

  TorchTransformer transformer() {
    return new TorchTransformer(config);
  }

  /** Whether the device is a GPU, which one thread keeps busy. */
  boolean onGpu() {
    return !device.equals(EngineOptions.CPU);
  }

  /** What is trained: the adapter if there is one, else the parameters. */
  Parameters trained() {
    return lora == null ? parameters : adapter;
  }

  /** A pass over the model as it is. */
  Source source() {
    return over(trained());
  }

  /** A pass over these in the place of what is trained. */
  Source over(Parameters tensors) {
    Parameters base = lora == null ? tensors : parameters;
    return new Source() {
      @Override
      public Tensor get(String name) {
        return base.get(name);
      }

      @Override
      public Tensor project(Tensor x, Projection projection, int layer) {
        Tensor weight = base.get(projection.weight(layer));
        Tensor projected =
            projection.biased(config)
                ? torch.linear(x, weight, new TensorOptional(base.get(projection.bias(layer))))
                : torch.linear(x, weight);
        if (lora == null || !lora.adapts(projection)) {
          return projected;
        }
        Tensor low = torch.linear(x, tensors.get(LoraConfig.down(projection, layer)));
        Tensor added = torch.linear(low, tensors.get(LoraConfig.up(projection, layer)));
        return projected.add(added, LibTorch.scalar(lora.scale()));
      }
    };
  }
}
