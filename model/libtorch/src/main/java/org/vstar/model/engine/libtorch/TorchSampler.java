package org.vstar.model.engine.libtorch;

import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;

/** Draws tokens from logits, on their device. */
final class TorchSampler {

  private TorchSampler() {}

  /**
   * Draws one token a row.
   *
   * @param logits rows × vocabulary, float32
   * @param forbidden what may not be drawn, or null
   */
  static List<Draw> draw(Tensor logits, List<Choice> choices, Tensor forbidden, String device) {
    int rows = choices.size();
    float[] inverse = new float[rows];
    double[] u = new double[rows];
    double[] topP = new double[rows];
    boolean cut = false;
    boolean drawn = false;
    for (int r = 0; r < rows; r++) {
      Choice choice = choices.get(r);
      boolean greedy = choice.temperature() == 0;
      inverse[r] = greedy ? 1 : (float) (1 / choice.temperature());
      u[r] = choice.u();
      topP[r] = choice.topP();
      cut |= !greedy && choice.topP() < 1;
      drawn |= !greedy;
    }
    Tensor tempered = logits.mul(LibTorch.floats(inverse, device, rows, 1));
    if (forbidden != null) {
      tempered = tempered.masked_fill(forbidden, LibTorch.scalar(Double.NEGATIVE_INFINITY));
    }
    Tensor logPi = torch.log_softmax(tempered, -1);
    Tensor likeliest = tempered.argmax(new LongOptional(-1), false);
    Tensor sampled = likeliest;
    if (drawn) {
      Tensor p = logPi.exp().to(ScalarType.Double);
      p = cut ? top(p, LibTorch.doubles(topP, device, rows, 1)) : p;
      sampled = pick(p, LibTorch.doubles(u, device, rows, 1));
    }
    long[] greedyTokens = longs(likeliest);
    long[] sampledTokens = longs(sampled);
    long[] tokens = new long[rows];
    for (int r = 0; r < rows; r++) {
      tokens[r] = choices.get(r).temperature() == 0 ? greedyTokens[r] : sampledTokens[r];
    }
    Tensor chosen = LibTorch.longs(tokens, device, rows, 1);
    float[] logs = LibTorch.read(logPi.gather(-1, chosen));
    List<Draw> draws = new ArrayList<>();
    for (int r = 0; r < rows; r++) {
      draws.add(new Draw(Math.toIntExact(tokens[r]), logs[r]));
    }
    return draws;
  }

  /** Keeps the smallest set of most likely tokens with at least this probability. */
  private static Tensor top(Tensor p, Tensor topP) {
    T_TensorTensor_T sorted = torch.sort(p, new BoolOptional(true), -1, true);
    Tensor before = torch.cumsum(sorted.get0(), -1).sub(sorted.get0());
    Tensor total = p.sum(new long[] {-1}, true, new ScalarTypeOptional());
    Tensor kept = sorted.get0().masked_fill(before.ge(total.mul(topP)), LibTorch.scalar(0));
    return torch.zeros_like(p).scatter(-1, sorted.get1(), kept);
  }

  /** The first token at which the sum of probabilities passes u of the whole. */
  private static Tensor pick(Tensor p, Tensor u) {
    Tensor sums = torch.cumsum(p, -1);
    Tensor total = sums.narrow(-1, sums.size(-1) - 1, 1);
    Tensor passed = sums.le(total.mul(u)).sum(-1);
    // Where rounding passes the whole, the last token that has a probability.
    Tensor last = sums.lt(total).sum(-1);
    return torch.minimum(passed, last);
  }

  private static long[] longs(Tensor tensor) {
    long[] values = new long[Math.toIntExact(tensor.numel())];
    Tensor host = tensor.to(new Device(EngineOptions.CPU), ScalarType.Long).contiguous();
    host.data_ptr_long().get(values);
    return values;
  }
}
