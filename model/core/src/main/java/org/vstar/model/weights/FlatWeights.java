package org.vstar.model.weights;

import java.util.List;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.WeightSource;

/**
 * Parameters in one flat vector, in the order of {@link ParameterLayout}.
 *
 * @param vocabulary number of token ids, without padding
 * @param values not copied
 */
public record FlatWeights(ModelConfig config, int vocabulary, float[] values)
    implements WeightSource {

  /**
   * Copies parameters into one vector.
   *
   * @throws org.vstar.common.InvalidInputException if one is missing or has another shape, or they
   *     are more than fit
   */
  public static FlatWeights of(WeightSource source) {
    ParameterLayout layout = new ParameterLayout(source.config(), source.vocabulary());
    float[] values = new float[layout.size()];
    layout.flat().fill(values, source, "");
    return new FlatWeights(source.config(), source.vocabulary(), values);
  }

  private FlatTensors flat() {
    return new ParameterLayout(config, vocabulary).flat();
  }

  @Override
  public List<Tensor> tensors() {
    return flat().tensors();
  }

  @Override
  public void read(Tensor tensor, float[] into, int offset) {
    flat().read(values, tensor, into, offset);
  }
}
