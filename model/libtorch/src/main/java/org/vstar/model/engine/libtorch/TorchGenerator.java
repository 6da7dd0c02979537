package org.vstar.model.engine.libtorch;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
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

  /**
   * What becomes of logits that a group of extensions gives.
   *
   * @param <T> one for each extension
   */
  @FunctionalInterface
  private interface Chosen<T> {
    List<T> of(List<Integer> group, Tensor logits, Tensor forbidden);
  }

  @Override
  public List<Draw> extend(List<Extension> extensions, List<Choice> choices) {
    return extend(
        extensions,
        choices.stream().map(Choice::allowed).toArray(BitSet[]::new),
        (group, logits, forbidden) ->
            TorchSampler.draw(
                logits, group.stream().map(choices::get).toList(), forbidden, model.device()));
  }

  @Override
  public List<List<Draw>> continuations(
      List<Extension> extensions, List<BitSet> allowed, int count) {
    return extend(
        extensions,
        allowed.toArray(BitSet[]::new),
        (group, logits, forbidden) -> TorchSampler.likeliest(logits, forbidden, count));
  }

  @Override
  public void copy(int from, int to) {
    cache.copy(from, to);
  }

  private <T> List<T> extend(List<Extension> extensions, BitSet[] allowed, Chosen<T> chosen) {
    LibTorch.useOneThread();
    for (Extension extension : extensions) {
      if (cache.length(extension.slot()) + extension.tokens().length > model.config().context()) {
        throw new IllegalArgumentException("slot " + extension.slot() + " would pass the context");
      }
    }
    List<T> all = new ArrayList<>(Collections.nCopies(extensions.size(), null));
    for (List<Integer> group : groups(extensions)) {
      List<T> own = extendTogether(group, extensions, allowed, chosen);
      for (int i = 0; i < group.size(); i++) {
        all.set(group.get(i), own.get(i));
      }
    }
    return all;
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

  private <T> List<T> extendTogether(
      List<Integer> group, List<Extension> all, BitSet[] allowed, Chosen<T> chosen) {
    List<Extension> extensions = group.stream().map(all::get).toList();
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
      BitSet[] own = group.stream().map(i -> allowed[i]).toArray(BitSet[]::new);
      Tensor forbidden = Restriction.forbidden(own, model.vocabulary(), model.device());
      return chosen.of(group, transformer.logits(source, normed), forbidden);
    }
  }

  @Override
  public void close() {
    cache.close();
    table.close();
  }
}
