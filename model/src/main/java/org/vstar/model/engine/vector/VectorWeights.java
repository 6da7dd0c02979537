package org.vstar.model.engine.vector;

import java.util.List;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.engine.vector.ParameterLayout.Slice;

/**
 * Parameters in one flat vector, in the order of {@link ParameterLayout}.
 *
 * @param vocabulary number of token ids, without padding
 * @param values not copied
 */
public record VectorWeights(ModelConfig config, int vocabulary, float[] values)
    implements WeightSource {

  private static final long serialVersionUID = 1L;

  private ParameterLayout layout() {
    return new ParameterLayout(config, ParameterLayout.padded(vocabulary));
  }

  @Override
  public List<Tensor> tensors() {
    return layout().slices().stream().map(Slice::tensor).toList();
  }

  @Override
  public void read(Tensor tensor, float[] into, int offset) {
    for (Slice slice : layout().slices()) {
      if (slice.tensor().equals(tensor)) {
        System.arraycopy(values, slice.offset(), into, offset, slice.size());
        return;
      }
    }
    throw new InvalidInputException("the model has no " + tensor);
  }
}
