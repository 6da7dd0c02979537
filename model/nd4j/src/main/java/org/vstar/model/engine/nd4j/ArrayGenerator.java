package org.vstar.model.engine.nd4j;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.nd4j.Tape.Node;
import org.vstar.model.kernels.Sampler;

/** Grows sequences over caches of keys and values; the host draws from the logits. */
final class ArrayGenerator implements Generator {

  private static final int FIRST = 64;

  private final ArrayTransformer transformer;
  private final Heads heads;
  private final Cache[] caches;

  ArrayGenerator(ArrayTransformer transformer, int slots) {
    this.transformer = transformer;
    this.heads = Heads.of(transformer.config());
    this.caches = new Cache[slots];
    Arrays.setAll(caches, slot -> new Cache(transformer.config()));
  }

  /** A slot's keys and values, kvHeads × room × headWidth in each layer. */
  private static final class Cache {
    private final ModelConfig c;
    private final INDArray[] keys;
    private final INDArray[] values;
    private int room;
    private int length;

    Cache(ModelConfig c) {
      this.c = c;
      this.keys = new INDArray[c.layers()];
      this.values = new INDArray[c.layers()];
    }

    void reach(int tokens) {
      if (tokens > room) {
        int before = room;
        room = Math.min(c.context(), Math.max(FIRST, tokens + tokens / 2));
        try (MemoryWorkspace stays = Workspaces.outside()) {
          for (int l = 0; l < keys.length; l++) {
            keys[l] = grown(keys[l], before);
            values[l] = grown(values[l], before);
          }
        }
      }
    }

    private INDArray grown(INDArray old, int before) {
      INDArray grown = Nd4j.zeros(DataType.FLOAT, c.kvHeads(), room, c.headWidth());
      if (old != null) {
        upTo(grown, 0, before).assign(old);
        old.close();
      }
      return grown;
    }

    void copy(Cache other) {
      reach(other.length);
      length = other.length;
      for (int l = 0; length > 0 && l < keys.length; l++) {
        upTo(keys[l], 0, length).assign(upTo(other.keys[l], 0, length));
        upTo(values[l], 0, length).assign(upTo(other.values[l], 0, length));
      }
    }

    static INDArray upTo(INDArray cache, int from, int to) {
      return cache.get(NDArrayIndex.all(), NDArrayIndex.interval(from, to), NDArrayIndex.all());
    }

    void close() {
      for (int l = 0; room > 0 && l < keys.length; l++) {
        keys[l].close();
        values[l].close();
      }
      room = 0;
    }
  }

  @Override
  public void reset(int slot) {
    caches[slot].length = 0;
  }

  @Override
  public List<Draw> extend(List<Extension> extensions, List<Choice> choices) {
    return extend(extensions, (i, logits) -> Sampler.draw(logits, choices.get(i)));
  }

  @Override
  public List<List<Draw>> continuations(
      List<Extension> extensions, List<BitSet> allowed, int count) {
    return extend(extensions, (i, logits) -> Sampler.likeliest(logits, allowed.get(i), count));
  }

  @Override
  public void copy(int from, int to) {
    caches[to].copy(caches[from]);
  }

  private <T> List<T> extend(List<Extension> extensions, BiFunction<Integer, float[], T> chosen) {
    if (extensions.isEmpty()) {
      return List.of();
    }
    for (Extension extension : extensions) {
      Cache cache = caches[extension.slot()];
      int reached = cache.length + extension.tokens().length;
      if (reached > transformer.config().context()) {
        throw new IllegalArgumentException("slot " + extension.slot() + " would pass the context");
      }
      cache.reach(reached);
    }
    try (MemoryWorkspace memory = Workspaces.pass()) {
      float[][] logits = logits(extensions);
      extensions.forEach(e -> caches[e.slot()].length += e.tokens().length);
      return IntStream.range(0, logits.length).mapToObj(i -> chosen.apply(i, logits[i])).toList();
    }
  }

  /** What follows the last token of each extension. */
  private float[][] logits(List<Extension> extensions) {
    int[] ids = extensions.stream().flatMapToInt(e -> Arrays.stream(e.tokens())).toArray();
    int[] places =
        extensions.stream()
            .flatMapToInt(
                e -> {
                  int from = caches[e.slot()].length;
                  return IntStream.range(from, from + e.tokens().length);
                })
            .toArray();
    int[] last = new int[extensions.size()];
    int at = 0;
    for (int i = 0; i < last.length; i++) {
      at += extensions.get(i).tokens().length;
      last[i] = at - 1;
    }
    Tape tape = new Tape(false);
    ArrayTransformer.Pass pass =
        transformer.new Pass(tape, RotaryTable.at(transformer.config(), places), null);
    Node hidden =
        pass.hidden(
            ids, (layer, q, k, v) -> attend(layer, q.value(), k.value(), v.value(), extensions));
    INDArray rows = tape.rows(hidden, last).value();
    return Products.productTransposed(rows, pass.head().value()).toFloatMatrix();
  }

  private Node attend(
      int layer, INDArray queries, INDArray keys, INDArray values, List<Extension> extensions) {
    INDArray attended = Nd4j.createUninitialized(DataType.FLOAT, queries.shape(), 'c');
    int from = 0;
    for (Extension extension : extensions) {
      int to = from + extension.tokens().length;
      Cache cache = caches[extension.slot()];
      int reached = cache.length + to - from;
      Cache.upTo(cache.keys[layer], cache.length, reached).assign(heads.keys(keys, from, to));
      Cache.upTo(cache.values[layer], cache.length, reached).assign(heads.keys(values, from, to));
      INDArray seen = Cache.upTo(cache.keys[layer], 0, reached).dup('c');
      INDArray p = heads.weights(heads.queries(queries, from, to), seen, cache.length);
      INDArray read = Products.product(p, Cache.upTo(cache.values[layer], 0, reached).dup('c'));
      heads.put(read, attended, from, to);
      from = to;
    }
    return new Node(attended, null);
  }

  @Override
  public void close() {
    for (Cache cache : caches) {
      cache.close();
    }
  }
}
