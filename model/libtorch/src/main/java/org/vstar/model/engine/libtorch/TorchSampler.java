package org.vstar.model.engine.libtorch;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Scalar;
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

  private static final long BLOCK = 512;

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
    float[] topP = new float[rows];
    long[] likeliest = new long[rows];
    boolean cut = false;
    for (int r = 0; r < rows; r++) {
      Choice choice = choices.get(r);
      boolean greedy = choice.temperature() == 0;
      inverse[r] = greedy ? 1 : (float) (1 / choice.temperature());
      u[r] = choice.u();
      topP[r] = (float) choice.topP();
      likeliest[r] = greedy ? 1 : 0;
      cut |= !greedy && choice.topP() < 1;
    }
    boolean tempers = IntStream.range(0, rows).anyMatch(r -> inverse[r] != 1);
    Tensor tempered = tempers ? logits.mul(LibTorch.floats(inverse, device, rows, 1)) : logits;
    if (forbidden != null) {
      tempered = tempered.masked_fill(forbidden, LibTorch.scalar(Double.NEGATIVE_INFINITY));
    }
    Tensor logPi = torch.log_softmax(tempered, -1);
    long greedy = LongStream.of(likeliest).sum();
    Tensor chosen = greedy > 0 ? tempered.argmax(new LongOptional(-1), true) : null;
    if (greedy < rows) {
      Tensor p = cut ? top(logPi.exp(), LibTorch.floats(topP, device, rows, 1)) : logPi.exp();
      Tensor picked = pick(p, LibTorch.doubles(u, device, rows, 1));
      chosen =
          greedy == 0
              ? picked
              : chosen.where(
                  LibTorch.longs(likeliest, device, rows, 1).to(ScalarType.Bool), picked);
    }
    float[] logs = LibTorch.read(logPi.gather(-1, chosen));
    long[] tokens = longs(chosen);
    List<Draw> draws = new ArrayList<>();
    for (int r = 0; r < rows; r++) {
      draws.add(new Draw(Math.toIntExact(tokens[r]), logs[r]));
    }
    return draws;
  }

  /**
   * The likeliest tokens of each row at temperature 1.
   *
   * @param logits rows × vocabulary, float32
   * @param forbidden what may not be chosen, or null
   * @param count how many at most
   */
  static List<List<Draw>> likeliest(Tensor logits, Tensor forbidden, int count) {
    Tensor masked =
        forbidden == null
            ? logits
            : logits.masked_fill(forbidden, LibTorch.scalar(Double.NEGATIVE_INFINITY));
    // A stable sort, so that of equals the one with the lower number comes first.
    T_TensorTensor_T sorted =
        torch.sort(torch.log_softmax(masked, -1), new BoolOptional(true), -1, true);
    long most = Math.min(count, masked.size(1));
    float[] logs = LibTorch.read(sorted.get0().narrow(1, 0, most));
    long[] tokens = longs(sorted.get1().narrow(1, 0, most));
    List<List<Draw>> rows = new ArrayList<>();
    for (int row = 0; row < masked.size(0); row++) {
      List<Draw> own = new ArrayList<>();
      for (int i = (int) (row * most); i < (row + 1) * most; i++) {
        if (logs[i] != Float.NEGATIVE_INFINITY) {
          own.add(new Draw(Math.toIntExact(tokens[i]), logs[i]));
        }
      }
      rows.add(own);
    }
    return rows;
  }

  /** Keeps the smallest set of most likely tokens with at least this probability. */
  private static Tensor top(Tensor p, Tensor topP) {
    T_TensorTensor_T sorted = torch.sort(p, new BoolOptional(true), -1, true);
    Tensor before = torch.cumsum(sorted.get0(), -1).sub(sorted.get0());
    Tensor total = p.sum(new long[] {-1}, true, new ScalarTypeOptional());
    Tensor kept = sorted.get0().masked_fill(before.ge(total.mul(topP)), LibTorch.scalar(0));
    return torch.zeros_like(p).scatter(-1, sorted.get1(), kept);
  }

  /**
   * The first token at which the sum of probabilities passes u of the whole: first its block, then
   * its place in there, so that a large vocabulary is summed in double only where it matters.
   */
  private static Tensor pick(Tensor p, Tensor u) {
    long rows = p.size(0);
    long blocks = (p.size(1) + BLOCK - 1) / BLOCK;
    long missing = blocks * BLOCK - p.size(1);
    Tensor padded = missing == 0 ? p : torch.constant_pad_nd(p, 0, missing);
    Tensor byBlock = padded.view(rows, blocks, BLOCK);
    Tensor sums = byBlock.sum(-1).to(ScalarType.Double).cumsum(-1);
    Tensor wanted = sums.narrow(-1, blocks - 1, 1).mul(u);
    Tensor block = passed(sums, wanted);
    Tensor before = torch.constant_pad_nd(sums, 1, 0).gather(-1, block);
    Tensor within = byBlock.gather(1, block.unsqueeze(-1).expand(rows, 1, BLOCK)).squeeze(1);
    Tensor place = passed(within.to(ScalarType.Double).cumsum(-1), wanted.sub(before));
    return block.mul(new Scalar(BLOCK)).add(place);
  }

  /** The first place at which sums pass what is wanted; where rounding passes all, the last. */
  private static Tensor passed(Tensor sums, Tensor wanted) {
    Tensor whole = sums.narrow(-1, sums.size(-1) - 1, 1);
    Tensor first = sums.le(wanted).sum(new long[] {-1}, true, new ScalarTypeOptional());
    Tensor last = sums.lt(whole).sum(new long[] {-1}, true, new ScalarTypeOptional());
    return torch.minimum(first, last);
  }

  private static long[] longs(Tensor tensor) {
    long[] values = new long[Math.toIntExact(tensor.numel())];
    Tensor host = tensor.to(new Device(EngineOptions.CPU), ScalarType.Long).contiguous();
    host.data_ptr_long().get(values);
    return values;
  }
}
