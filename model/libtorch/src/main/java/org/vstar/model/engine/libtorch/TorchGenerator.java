package org.vstar.model.engine.libtorch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Tensor;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.libtorch.TorchTransformer.Rotation;
import org.vstar.model.engine.libtorch.TorchTransformer.Source;

/**
 * Grows sequences over a cache of keys and values. Extensions of one token go through the model
 * together; longer ones, which read an observation, go in groups of like length, padded.
 */
final class TorchGenerator implements Generator {

  private final TorchModel model;
  private final TorchTransformer transformer;
  private final KeyValueCache cache;
  private final RotaryTable table;

  TorchGenerator(TorchModel model, int slots) {
    this.model = model;
    this.transformer = model.transformer();
    this.cache = new KeyValueCache(model, slots);
    this.table = new RotaryTable(model.config(), model.device());
  }

  @Override
  public void reset(int slot) {
    cache.reset(slot);
  }

  @Override
  public List<Draw> extend(List<Extension> extensions, List<Choice> choices) {
    LibTorch.useOneThread();
    for (Extension extension : extensions) {
      if (cache.length(extension.slot()) + extension.tokens().length > model.config().context()) {
        throw new IllegalArgumentException("slot " + extension.slot() + " would pass the context");
      }
    }
    Draw[] draws = new Draw[extensions.size()];
    for (List<Integer> group : groups(extensions)) {
      List<Extension> own = group.stream().map(extensions::get).toList();
      List<Choice> chosen = group.stream().map(choices::get).toList();
      List<Draw> drawn = extendTogether(own, chosen);
      for (int i = 0; i < group.size(); i++) {
        draws[group.get(i)] = drawn.get(i);
      }
    }
    return List.of(draws);
  }

  /** Indices of extensions that go through the model together. */
  private List<List<Integer>> groups(List<Extension> extensions) {
    List<Integer> byLength =
        IntStream.range(0, extensions.size())
            .boxed()
            .sorted((i, j) -> length(extensions, i) - length(extensions, j))
            .toList();
    List<List<Integer>> groups = new ArrayList<>();
    List<Integer> group = new ArrayList<>();
    for (int i : byLength) {
      int padded = length(extensions, i) * (group.size() + 1);
      boolean alike =
          group.isEmpty() || length(extensions, i) == 1 || length(extensions, group.get(0)) > 1;
      if (!alike || !group.isEmpty() && padded > model.options().microBatchTokens()) {
        groups.add(group);
        group = new ArrayList<>();
      }
      group.add(i);
    }
    groups.add(group);
    return extensions.isEmpty() ? List.of() : groups;
  }

  private static int length(List<Extension> extensions, int i) {
    return extensions.get(i).tokens().length;
  }

  private List<Draw> extendTogether(List<Extension> extensions, List<Choice> choices) {
    int rows = extensions.size();
    int longest = extensions.stream().mapToInt(e -> e.tokens().length).max().orElse(0);
    long[] ids = new long[rows * longest];
    long[] positions = new long[rows * longest];
    long[] last = new long[rows];
    for (int i = 0; i < rows; i++) {
      Extension extension = extensions.get(i);
      int from = cache.length(extension.slot());
      int count = extension.tokens().length;
      for (int t = 0; t < longest; t++) {
        ids[i * longest + t] = t < count ? extension.tokens()[t] : 0;
        positions[i * longest + t] = from + Math.min(t, count - 1);
      }
      last[i] = (long) i * longest + count - 1;
    }
    try (PointerScope scope = new PointerScope();
        NoGradGuard none = new NoGradGuard()) {
      KeyValueCache.Step step = cache.step(extensions);
      Tensor places = LibTorch.longs(positions, model.device(), rows, longest);
      Rotation rotation = table.at(places, step.visible());
      Tensor mask = step.mask(places);
      Source source = model.source();
      Tensor embedded =
          transformer.embed(source, LibTorch.longs(ids, model.device(), rows, longest));
      Tensor x =
          transformer.blocks(
              source,
              embedded,
              rotation,
              (layer, q, k, v) -> {
                step.append(layer, k, v);
                return transformer.masked(q, step.keys(layer), step.values(layer), mask);
              });
      step.done();
      Tensor ends = LibTorch.longs(last, model.device(), rows);
      Tensor normed = transformer.finalNorm(source, x.flatten(0, 1).index_select(0, ends));
      BitSet[] allowed = choices.stream().map(Choice::allowed).toArray(BitSet[]::new);
      Tensor forbidden = Restriction.forbidden(allowed, model.vocabulary(), model.device());
      return TorchSampler.draw(
          transformer.logits(source, normed), choices, forbidden, model.device());
    }
  }

  @Override
  public void close() {
    cache.close();
    table.close();
  }
}
