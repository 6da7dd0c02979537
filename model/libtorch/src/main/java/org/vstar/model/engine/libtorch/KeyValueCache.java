package org.vstar.model.engine.libtorch;

import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.ModelConfig;

/**
 * Keys and values of growing sequences: for each layer slots × room × key heads × headWidth. All
 * slots have the same room, which grows with the longest.
 */
final class KeyValueCache implements AutoCloseable {

  private static final int FIRST = 128;

  /** Rows of a mask begin at multiples of so many numbers. */
  private static final int ALIGNED = 16;

  private final TorchModel model;
  private final ModelConfig c;
  private final int[] lengths;
  private final Tensor[] keys;
  private final Tensor[] values;
  private int room;

  KeyValueCache(TorchModel model, int slots) {
    this.model = model;
    this.c = model.config();
    this.lengths = new int[slots];
    this.keys = new Tensor[c.layers()];
    this.values = new Tensor[c.layers()];
  }

  void reset(int slot) {
    lengths[slot] = 0;
  }

  /** Puts what a slot holds into another. */
  void copy(int from, int to) {
    lengths[to] = lengths[from];
    if (lengths[from] == 0) {
      return;
    }
    try (PointerScope scope = new PointerScope();
        NoGradGuard none = new NoGradGuard()) {
      for (int l = 0; l < c.layers(); l++) {
        for (Tensor cache : List.of(keys[l], values[l])) {
          Tensor held = cache.narrow(1, 0, lengths[from]);
          held.select(0, to).copy_(held.select(0, from));
        }
      }
    }
  }

  int length(int slot) {
    return lengths[slot];
  }

  private void reach(int tokens) {
    if (tokens <= room) {
      return;
    }
    int before = room;
    room = Math.min(c.context(), Math.max(FIRST, tokens + tokens / 2));
    for (int l = 0; l < c.layers(); l++) {
      keys[l] = grown(keys[l], before);
      values[l] = grown(values[l], before);
    }
  }

  private Tensor grown(Tensor old, int before) {
    try (PointerScope scope = new PointerScope();
        NoGradGuard none = new NoGradGuard()) {
      long[] shape = {lengths.length, room, c.kvHeads(), c.headWidth()};
      Tensor grown = torch.zeros(shape, options());
      if (old != null) {
        grown.narrow(1, 0, before).copy_(old);
        old.close();
      }
      return grown.retainReference();
    }
  }

  private TensorOptions options() {
    return LibTorch.options(LibTorch.scalarType(model.options().dtype()), model.device());
  }

  /** Prepares for extensions that go through the model together; within a scope. */
  Step step(List<Extension> extensions) {
    int visible = 0;
    int longest = 0;
    for (Extension extension : extensions) {
      visible = Math.max(visible, lengths[extension.slot()] + extension.tokens().length);
      longest = Math.max(longest, extension.tokens().length);
    }
    reach(visible);
    return new Step(extensions, visible, longest);
  }

  /** One step of some of the slots. */
  final class Step {
    private final List<Extension> extensions;
    private final int visible;
    private final Tensor slots;
    private final Tensor into;
    private final Tensor from;

    private Step(List<Extension> extensions, int visible, int longest) {
      this.extensions = extensions;
      this.visible = visible;
      int tokens = extensions.stream().mapToInt(e -> e.tokens().length).sum();
      long[] slot = extensions.stream().mapToLong(Extension::slot).toArray();
      long[] places = new long[tokens];
      long[] rows = new long[tokens];
      int at = 0;
      for (int i = 0; i < extensions.size(); i++) {
        Extension extension = extensions.get(i);
        for (int t = 0; t < extension.tokens().length; t++) {
          places[at] = (long) extension.slot() * room + lengths[extension.slot()] + t;
          rows[at++] = (long) i * longest + t;
        }
      }
      boolean all =
          slot.length == lengths.length
              && IntStream.range(0, slot.length).allMatch(i -> slot[i] == i);
      slots = all ? null : LibTorch.longs(slot, model.device(), slot.length);
      into = LibTorch.longs(places, model.device(), tokens);
      boolean padded = tokens < extensions.size() * longest;
      from = padded ? LibTorch.longs(rows, model.device(), tokens) : null;
    }

    /** Tokens of the longest of the slots, with what is appended now. */
    int visible() {
      return visible;
    }

    /**
     * What is added to scores: 0 where a token sees a key, which is that of its own place or
     * before, else −∞. Heads that share their keys stand one behind another: B × 1 × shared·T ×
     * visible, where all of one token see the same B × 1 × 1 × visible. Rows begin where LibTorch's
     * kernels want them, so that it need not copy the mask in each layer.
     */
    Tensor mask(Tensor positions) {
      long width = (visible + ALIGNED - 1) / ALIGNED * ALIGNED;
      Tensor all =
          torch.arange(new Scalar(width), LibTorch.options(ScalarType.Long, model.device()));
      Tensor hidden = positions.unsqueeze(-1).lt(all);
      Tensor mask =
          torch
              .zeros(new long[] {positions.size(0), positions.size(1), width}, options())
              .masked_fill_(hidden, LibTorch.scalar(Double.NEGATIVE_INFINITY));
      long shared = c.heads() / c.kvHeads();
      Tensor rows = shared == 1 || positions.size(1) == 1 ? mask : mask.repeat(1, shared, 1);
      return rows.unsqueeze(1).narrow(-1, 0, visible);
    }

    /** Puts keys and values of B × heads × T × headWidth behind those that the slots have. */
    void append(int layer, Tensor newKeys, Tensor newValues) {
      put(keys[layer], newKeys);
      put(values[layer], newValues);
    }

    private void put(Tensor cache, Tensor added) {
      Tensor rows = added.transpose(1, 2).reshape(-1, c.kvWidth());
      Tensor real = from == null ? rows : rows.index_select(0, from);
      cache.view(-1, c.kvWidth()).index_copy_(0, into, real);
    }

    Tensor keys(int layer) {
      return seen(keys[layer]);
    }

    Tensor values(int layer) {
      return seen(values[layer]);
    }

    /** B × heads × visible × headWidth. */
    private Tensor seen(Tensor cache) {
      Tensor all = cache.narrow(1, 0, visible);
      return (slots == null ? all : all.index_select(0, slots)).transpose(1, 2);
    }

    /** Counts what was appended. */
    void done() {
      for (Extension extension : extensions) {
        lengths[extension.slot()] += extension.tokens().length;
      }
    }
  }

  @Override
  public void close() {
    for (int l = 0; l < keys.length && keys[l] != null; l++) {
      keys[l].close();
      values[l].close();
      keys[l] = null;
    }
  }
}
