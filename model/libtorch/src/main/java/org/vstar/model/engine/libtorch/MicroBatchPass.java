package org.vstar.model.engine.libtorch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.vstar.model.engine.Scorer.LossGradient;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.libtorch.TorchTransformer.Rotation;
import org.vstar.model.engine.libtorch.TorchTransformer.Source;

/**
 * One micro-batch, forward and backward. Sequences are padded at their ends, where causal attention
 * does not look. Used by one thread at a time.
 */
final class MicroBatchPass implements AutoCloseable {

  private final TorchModel model;
  private final TorchTransformer transformer;
  private final OutputHead head;
  private final RotaryTable table;
  private Parameters leaves;

  MicroBatchPass(TorchModel model, double temperature) {
    this.model = model;
    this.transformer = model.transformer();
    this.head = new OutputHead(model, temperature);
    this.table = new RotaryTable(model.config(), model.device());
  }

  /**
   * What of the micro-batch is scored.
   *
   * @param ids B × T
   * @param rows of B·T rows those that predict a scored token
   * @param chosen what they predict
   * @param counts scored tokens of each sequence
   */
  private record Packed(
      Tensor ids, int longest, long[] rows, OutputHead.TokenSelection chosen, int[] counts) {}

  private Packed pack(List<Sequence> batch) {
    int longest = batch.stream().mapToInt(s -> s.tokens().length).max().orElse(0);
    int scored = batch.stream().mapToInt(Sequence::agentTokens).sum();
    long[] ids = new long[batch.size() * longest];
    long[] rows = new long[scored];
    long[] targets = new long[scored];
    BitSet[] allowed = new BitSet[scored];
    int[] counts = new int[batch.size()];
    int r = 0;
    for (int b = 0; b < batch.size(); b++) {
      Sequence s = batch.get(b);
      for (int t = 0; t < s.tokens().length; t++) {
        ids[b * longest + t] = s.tokens()[t];
      }
      for (int t = s.agent().nextSetBit(0); t >= 0; t = s.agent().nextSetBit(t + 1)) {
        rows[r] = (long) b * longest + t - 1;
        targets[r] = s.target(t, counts[b]);
        allowed[r++] = s.allowed().isEmpty() ? null : s.allowed().get(counts[b]);
        counts[b]++;
      }
    }
    Tensor tensor = LibTorch.longs(ids, model.device(), batch.size(), longest);
    OutputHead.TokenSelection chosen = new OutputHead.TokenSelection(targets, allowed);
    return new Packed(tensor, longest, rows, chosen, counts);
  }

  /** ln π of each sequence's agent tokens. */
  List<float[]> logProbabilities(List<Sequence> batch) {
    LibTorch.useOneThread();
    try (PointerScope scope = new PointerScope();
        NoGradGuard none = new NoGradGuard()) {
      Packed packed = pack(batch);
      Source source = model.source();
      Tensor x =
          transformer.blocks(
              source,
              transformer.embed(source, packed.ids),
              table.first(packed.longest),
              (layer, q, k, v) -> transformer.causal(q, k, v));
      Tensor normed = normed(source, x, packed);
      Tensor weight = transformer.head(source);
      return split(packed, head.logProbabilities(normed, weight, packed.chosen));
    }
  }

  private Tensor block(int l, Source source, Tensor x, Rotation rotation) {
    return transformer.block(
        l, source, x, rotation, (layer, q, k, v) -> transformer.causal(q, k, v));
  }

  /** The final-normed rows that predict scored tokens. */
  private Tensor normed(Source source, Tensor x, Packed packed) {
    Tensor rows = LibTorch.longs(packed.rows, model.device(), packed.rows.length);
    return transformer.finalNorm(source, x.flatten(0, 1).index_select(0, rows));
  }

  private static List<float[]> split(Packed packed, float[] all) {
    List<float[]> parts = new ArrayList<>();
    int at = 0;
    for (int count : packed.counts) {
      parts.add(Arrays.copyOfRange(all, at, at + count));
      at += count;
    }
    return parts;
  }

  /** The inputs of the derivative, with the gradients that {@link #differentiate} left. */
  Parameters leaves() {
    return leaves;
  }

  /** Scores the batch and leaves a loss's gradient at the {@link #leaves}. */
  void differentiate(List<Sequence> batch, LossGradient loss) {
    LibTorch.useOneThread();
    if (leaves == null) {
      leaves = model.trained().leaves();
    }
    try (PointerScope scope = new PointerScope()) {
      Packed packed = pack(batch);
      Source source = model.over(leaves);
      Blocks blocks = new Blocks(model.config().layers(), source, table.first(packed.longest));
      Tensor x = transformer.embed(source, packed.ids);
      Tensor last = blocks.forward(x);
      Tensor normed = normed(source, last, packed);
      Tensor weight = transformer.head(source);
      Tensor rows = normed.detach();
      float[] logPi = head.logProbabilities(rows, weight, packed.chosen);
      float[] gradient = gradient(packed, loss, logPi);
      if (gradient.length > 0) {
        LibTorch.backward(normed, head.backward(rows, weight, packed.chosen, gradient));
        blocks.backward(x, last);
      }
    }
  }

  private static float[] gradient(Packed packed, LossGradient loss, float[] logPi) {
    float[] gradient = new float[logPi.length];
    int at = 0;
    List<float[]> parts = split(packed, logPi);
    for (int i = 0; i < parts.size(); i++) {
      float[] own = loss.of(i, parts.get(i));
      System.arraycopy(own, 0, gradient, at, own.length);
      at += own.length;
    }
    return gradient;
  }

  /** The blocks, with their activations kept, or made again when they are needed. */
  private final class Blocks {
    private final Source source;
    private final Rotation rotation;
    private final boolean again = model.options().checkpointing();

    /** What enters each block, and leaves the last, where activations are made again. */
    private final Tensor[] entering;

    Blocks(int layers, Source source, Rotation rotation) {
      this.source = source;
      this.rotation = rotation;
      this.entering = new Tensor[layers + 1];
    }

    Tensor forward(Tensor x) {
      if (!again) {
        Tensor y = x;
        for (int l = 0; l < entering.length - 1; l++) {
          Tensor before = y;
          int layer = l;
          // What the backward pass needs it keeps itself.
          y = LibTorch.kept(() -> block(layer, source, before, rotation));
        }
        return y;
      }
      entering[0] = x.detach();
      for (int l = 0; l < entering.length - 1; l++) {
        try (PointerScope scope = new PointerScope();
            NoGradGuard none = new NoGradGuard()) {
          entering[l + 1] = block(l, source, entering[l], rotation).retainReference();
        }
      }
      Tensor last = entering[entering.length - 1].detach().set_requires_grad(true);
      for (int l = 1; l < entering.length; l++) {
        PointerScope.getInnerScope().attach(entering[l]);
        entering[l].releaseReference();
      }
      return last;
    }

    /** After the gradient by {@code last} is there, where it is a leaf. */
    void backward(Tensor embedded, Tensor last) {
      if (!again) {
        return;
      }
      Tensor gradient = last.grad();
      for (int l = entering.length - 2; l >= 0; l--) {
        Tensor x = entering[l].detach().set_requires_grad(true);
        try (PointerScope scope = new PointerScope()) {
          LibTorch.backward(block(l, source, x, rotation), gradient);
        }
        gradient = x.grad();
      }
      if (embedded.requires_grad()) {
        LibTorch.backward(embedded, gradient);
      }
    }
  }

  @Override
  public void close() {
    table.close();
    head.close();
    if (leaves != null) {
      leaves.close();
    }
  }
}
