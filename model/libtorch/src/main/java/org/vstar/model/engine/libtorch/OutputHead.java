package org.vstar.model.engine.libtorch;

import java.util.Arrays;
import java.util.BitSet;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * The log-probabilities of chosen tokens, and their gradient: ∂ ln π(a) / ∂ logit(j) = ([a = j] −
 * π(j)) / temperature. A large vocabulary makes this most of a small model's work and memory, so
 * the logits are made for some rows at a time, always in the same place, and again for the gradient
 * where they are not all there any more. Used by one thread at a time.
 */
final class OutputHead implements AutoCloseable {

  /** Logits held at once on a GPU, which wants much work in a call. */
  private static final int ON_GPU = 1 << 27;

  /** Logits held at once on a processor. */
  static final int ON_CPU = 1 << 26;

  private final TorchModel model;
  private final double temperature;
  private final int chunk;
  private Tensor place;

  /** Whose log-probabilities for all tokens are in {@link #place}. */
  private TokenSelection kept;

  /**
   * Makes a head.
   *
   * @param temperature what logits are divided by
   */
  OutputHead(TorchModel model, double temperature) {
    this.model = model;
    this.temperature = temperature;
    this.chunk = Math.max(1, (model.onGpu() ? ON_GPU : ON_CPU) / model.vocabulary());
  }

  /**
   * What was chosen.
   *
   * @param targets the tokens, one a row
   * @param allowed what each was chosen from, or null for everything
   */
  record TokenSelection(long[] targets, BitSet[] allowed) {
    TokenSelection part(int from, int to) {
      return new TokenSelection(
          Arrays.copyOfRange(targets, from, to), Arrays.copyOfRange(allowed, from, to));
    }

    Tensor column(TorchModel model) {
      return LibTorch.longs(targets, model.device(), targets.length, 1);
    }
  }

  /**
   * ln π of each target.
   *
   * @param rows what predicts them, rows × width
   * @param weight of the head, vocabulary × width
   */
  float[] logProbabilities(Tensor rows, Tensor weight, TokenSelection chosen) {
    float[] result = new float[chosen.targets.length];
    for (int from = 0; from < result.length; from += chunk) {
      int to = Math.min(result.length, from + chunk);
      try (PointerScope scope = new PointerScope();
          NoGradGuard none = new NoGradGuard()) {
        TokenSelection own = chosen.part(from, to);
        Tensor logits = logits(rows.narrow(0, from, to - from), weight, own);
        torch.log_softmax_out(logits, logits, -1);
        LibTorch.read(logits.gather(-1, own.column(model)), result, from, to - from);
      }
    }
    kept = result.length <= chunk ? chosen : null;
    return result;
  }

  /**
   * Leaves a loss's gradient at the weight, if it is trained, and gives that at the rows.
   *
   * @param gradient of the loss by the log-probability of each target
   */
  Tensor backward(Tensor rows, Tensor weight, TokenSelection chosen, float[] gradient) {
    Tensor byRows;
    Tensor byWeight;
    try (NoGradGuard none = new NoGradGuard()) {
      byRows = torch.empty_like(rows);
      byWeight = weight.requires_grad() ? empty(weight.size(0), weight.size(1)).zero_() : null;
      for (int from = 0; from < gradient.length; from += chunk) {
        int to = Math.min(gradient.length, from + chunk);
        try (PointerScope scope = new PointerScope()) {
          Tensor own = rows.narrow(0, from, to - from);
          Tensor p =
              kept == chosen ? place(to).exp_() : probabilities(own, weight, chosen.part(from, to));
          Tensor byLogits =
              byLogits(p, chosen.part(from, to), gradient, from).to(weight.scalar_type());
          byRows.narrow(0, from, to - from).copy_(byLogits.mm(weight));
          if (weight.requires_grad() && exact(weight)) {
            byWeight.addmm_(byLogits.t(), own);
          } else if (weight.requires_grad()) {
            byWeight.add_(byLogits.t().mm(own));
          }
        }
      }
    }
    kept = null;
    if (weight.requires_grad()) {
      LibTorch.backward(weight, byWeight.to(weight.scalar_type()));
    }
    return byRows;
  }

  private Tensor probabilities(Tensor rows, Tensor weight, TokenSelection chosen) {
    Tensor logits = logits(rows, weight, chosen);
    return torch.softmax_out(logits, logits, -1);
  }

  /** Takes the probabilities' place. */
  private Tensor byLogits(Tensor p, TokenSelection chosen, float[] gradient, int from) {
    float[] own = Arrays.copyOfRange(gradient, from, from + chosen.targets.length);
    for (int i = 0; i < own.length; i++) {
      own[i] /= (float) temperature;
    }
    Tensor each = LibTorch.floats(own, model.device(), own.length, 1);
    return p.mul_(each.neg()).scatter_add_(-1, chosen.column(model), each);
  }

  private static boolean exact(Tensor weight) {
    return weight.scalar_type().intern() == ScalarType.Float;
  }

  /** Tempered, and −∞ where a token was not allowed. */
  private Tensor logits(Tensor rows, Tensor weight, TokenSelection chosen) {
    kept = null;
    Tensor logits = place(rows.size(0));
    if (exact(weight)) {
      torch.mm_out(logits, rows, weight.t());
    } else {
      logits.copy_(torch.linear(rows, weight));
    }
    if (temperature != 1) {
      logits.div_(LibTorch.scalar(temperature));
    }
    Tensor forbidden = Restriction.forbidden(chosen.allowed, model.vocabulary(), model.device());
    return forbidden == null
        ? logits
        : logits.masked_fill_(forbidden, LibTorch.scalar(Double.NEGATIVE_INFINITY));
  }

  /** Memory that comes fresh from the system costs more than the work done in it. */
  private Tensor place(long rows) {
    if (place == null || place.size(0) < rows) {
      close();
      place = empty(rows, model.vocabulary()).retainReference();
    }
    return place.narrow(0, 0, rows);
  }

  private Tensor empty(long rows, long columns) {
    TensorOptions options = LibTorch.options(ScalarType.Float, model.device());
    return torch.empty(new long[] {rows, columns}, options, new MemoryFormatOptional());
  }

  @Override
  public void close() {
    if (place != null) {
      place.close();
      place = null;
    }
  }
}
