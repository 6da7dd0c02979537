package org.vstar.model.engine.nd4j;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.nd4j.Tape.Node;

/** Cuts a batch into micro-batches; ND4J's operations have threads, or a GPU, of their own. */
final class ArrayScorer implements Scorer {

  /** Logits that are held at once: the vocabulary may be large. */
  private static final int LOGITS = 1 << 25;

  private final ArrayTransformer transformer;
  private final EngineOptions options;
  private final double temperature;

  ArrayScorer(ArrayTransformer transformer, EngineOptions options, double temperature) {
    if (!(temperature > 0)) {
      throw new IllegalArgumentException("temperature " + temperature + " has no density");
    }
    this.transformer = transformer;
    this.options = options;
    this.temperature = temperature;
  }

  /**
   * Sequences one behind the other.
   *
   * @param first index of the first in the batch
   * @param places of its tokens in its own sequence
   * @param rows which tokens predict scored ones
   */
  private record MicroBatch(
      int first,
      List<Sequence> sequences,
      int[] ids,
      int[] places,
      int[] rows,
      TokenSelection chosen) {

    static MicroBatch of(int first, List<Sequence> sequences) {
      IntStream.Builder rows = IntStream.builder();
      IntStream.Builder targets = IntStream.builder();
      List<BitSet> allowed = new ArrayList<>();
      int from = 0;
      for (Sequence s : sequences) {
        int scored = 0;
        for (int t = s.agent().nextSetBit(0); t >= 0; t = s.agent().nextSetBit(t + 1)) {
          rows.add(from + t - 1);
          targets.add(s.target(t, scored));
          allowed.add(s.allowed().isEmpty() ? null : s.allowed().get(scored));
          scored++;
        }
        from += s.tokens().length;
      }
      return new MicroBatch(
          first,
          sequences,
          sequences.stream().flatMapToInt(s -> Arrays.stream(s.tokens())).toArray(),
          sequences.stream().flatMapToInt(s -> IntStream.range(0, s.tokens().length)).toArray(),
          rows.build().toArray(),
          new TokenSelection(targets.build().toArray(), allowed.toArray(BitSet[]::new)));
    }

    List<Integer> lengths() {
      return sequences.stream().map(s -> s.tokens().length).toList();
    }

    /** What is of all scored tokens, by sequence. */
    List<float[]> split(float[] all) {
      List<float[]> parts = new ArrayList<>();
      int at = 0;
      for (Sequence s : sequences) {
        parts.add(Arrays.copyOfRange(all, at, at + s.agentTokens()));
        at += s.agentTokens();
      }
      return parts;
    }
  }

  private List<MicroBatch> microBatches(List<Sequence> batch) {
    List<MicroBatch> microBatches = new ArrayList<>();
    List<Sequence> own = new ArrayList<>();
    int tokens = 0;
    int first = 0;
    for (Sequence sequence : batch) {
      int length = sequence.tokens().length;
      if (length > transformer.config().context()) {
        throw new IllegalArgumentException(
            "sequence of "
                + length
                + " tokens, but the context is "
                + transformer.config().context());
      }
      if (!own.isEmpty() && tokens + length > options.microBatchTokens()) {
        microBatches.add(MicroBatch.of(first, own));
        first += own.size();
        own = new ArrayList<>();
        tokens = 0;
      }
      own.add(sequence);
      tokens += length;
    }
    if (!own.isEmpty()) {
      microBatches.add(MicroBatch.of(first, own));
    }
    return microBatches;
  }

  @Override
  public float[][] logProbabilities(List<Sequence> batch) {
    float[][] result = new float[batch.size()][];
    for (MicroBatch part : microBatches(batch)) {
      try (MemoryWorkspace memory = Workspaces.pass()) {
        Tape tape = new Tape(false);
        ArrayTransformer.Pass pass = pass(tape, part, null);
        Node rows = rows(tape, pass, part);
        List<float[]> scored = part.split(logProbabilities(part.chosen, rows, pass.head()));
        for (int i = 0; i < scored.size(); i++) {
          result[part.first + i] = scored.get(i);
        }
      }
    }
    return result;
  }

  private ArrayTransformer.Pass pass(Tape tape, MicroBatch part, Parameters gradient) {
    return transformer.new Pass(tape, RotaryTable.at(transformer.config(), part.places), gradient);
  }

  /** What predicts the scored tokens. */
  private Node rows(Tape tape, ArrayTransformer.Pass pass, MicroBatch part) {
    Heads heads = Heads.of(transformer.config());
    List<Integer> lengths = part.lengths();
    Node hidden =
        pass.hidden(part.ids, (layer, q, k, v) -> tape.attention(q, k, v, lengths, heads));
    return part.rows.length == 0 ? null : tape.rows(hidden, part.rows);
  }

  private int chunk(Node head) {
    return (int) Math.max(1, LOGITS / head.value().size(0));
  }

  private static INDArray part(INDArray rows, int from, int to) {
    return rows == null ? null : rows.get(NDArrayIndex.interval(from, to), NDArrayIndex.all());
  }

  private float[] logProbabilities(TokenSelection chosen, Node rows, Node head) {
    float[] result = new float[chosen.targets().length];
    for (int from = 0; from < result.length; from += chunk(head)) {
      int to = Math.min(result.length, from + chunk(head));
      INDArray own = part(rows.value(), from, to);
      float[] logPi = chosen.part(from, to).logProbabilities(own, head.value(), temperature);
      System.arraycopy(logPi, 0, result, from, logPi.length);
    }
    return result;
  }

  @Override
  public void addGradient(List<Sequence> batch, LossGradient loss, Gradient into) {
    Parameters gradient = ((ArrayGradient) into).values();
    for (MicroBatch part : microBatches(batch)) {
      int count = part.sequences.size();
      if (IntStream.range(part.first, part.first + count).allMatch(loss::isZero)) {
        continue;
      }
      try (MemoryWorkspace memory = Workspaces.pass()) {
        Tape tape = new Tape(true);
        ArrayTransformer.Pass pass = pass(tape, part, gradient);
        Node rows = rows(tape, pass, part);
        Node head = pass.head();
        List<float[]> scored = part.split(logProbabilities(part.chosen, rows, head));
        float[] by = new float[part.rows.length];
        int at = 0;
        for (int i = 0; i < scored.size(); i++) {
          float[] own = loss.of(part.first + i, scored.get(i));
          System.arraycopy(own, 0, by, at, own.length);
          at += own.length;
        }
        for (int from = 0; from < by.length; from += chunk(head)) {
          int to = Math.min(by.length, from + chunk(head));
          Node own = new Node(part(rows.value(), from, to), part(rows.gradient(), from, to));
          float[] weights = Arrays.copyOfRange(by, from, to);
          part.chosen.part(from, to).addGradient(own, head, temperature, weights);
        }
        if (by.length > 0) {
          tape.backward();
        }
      }
    }
  }

  @Override
  public void close() {
    Nd4j.getExecutioner().commit();
  }
}
