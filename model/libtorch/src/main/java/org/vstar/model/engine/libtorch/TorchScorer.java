package org.vstar.model.engine.libtorch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.vstar.common.Parallel;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;

/**
 * Cuts a batch into micro-batches of sequences of like length, the longest first, and shares them
 * among Java's threads (a GPU has one). Gradients of micro-batches are summed in their order, which
 * does not depend on the threads.
 */
final class TorchScorer implements Scorer {

  /**
   * Sequences that go through the model together.
   *
   * @param places their numbers in the batch
   */
  private record MicroBatch(List<Integer> places, List<Sequence> sequences) {
    private MicroBatch() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    private void add(int place, Sequence sequence) {
      places.add(place);
      sequences.add(sequence);
    }
  }

  private final TorchModel model;
  private final double temperature;
  private final int threads;
  private final Queue<MicroBatchPass> idle = new ConcurrentLinkedQueue<>();

  TorchScorer(TorchModel model, double temperature) {
    if (!(temperature > 0)) {
      throw new IllegalArgumentException("temperature " + temperature + " has no density");
    }
    this.model = model;
    this.temperature = temperature;
    this.threads = model.onGpu() ? 1 : model.options().threads();
  }

  /** By tokens with padding: sequences of a micro-batch are as long as its first. */
  private List<MicroBatch> microBatches(List<Sequence> batch) {
    List<Integer> byLength =
        IntStream.range(0, batch.size())
            .boxed()
            .sorted(Comparator.comparingInt(i -> -batch.get(i).tokens().length))
            .toList();
    List<MicroBatch> microBatches = new ArrayList<>();
    MicroBatch last = null;
    for (int place : byLength) {
      Sequence sequence = batch.get(place);
      requireInContext(sequence.tokens().length);
      long padded =
          last == null
              ? 0
              : (long) last.sequences.get(0).tokens().length * (last.sequences.size() + 1);
      if (last == null || padded > model.options().microBatchTokens()) {
        last = new MicroBatch();
        microBatches.add(last);
      }
      last.add(place, sequence);
    }
    return microBatches;
  }

  private void requireInContext(int length) {
    if (length > model.config().context()) {
      throw new IllegalArgumentException(
          "sequence of " + length + " tokens, but the context is " + model.config().context());
    }
  }

  private MicroBatchPass borrow() {
    return Optional.ofNullable(idle.poll()).orElseGet(() -> new MicroBatchPass(model, temperature));
  }

  @Override
  public float[][] logProbabilities(List<Sequence> batch) {
    float[][] result = new float[batch.size()][];
    Parallel.run(
        threads,
        microBatches(batch).stream().<Runnable>map(part -> () -> score(part, result)).toList());
    return result;
  }

  private void score(MicroBatch part, float[][] into) {
    MicroBatchPass pass = borrow();
    List<float[]> scored = pass.logProbabilities(part.sequences);
    for (int i = 0; i < scored.size(); i++) {
      into[part.places.get(i)] = scored.get(i);
    }
    idle.add(pass);
  }

  @Override
  public void addGradient(List<Sequence> batch, LossGradient loss, Gradient into) {
    List<MicroBatch> parts =
        microBatches(batch).stream()
            .filter(part -> !part.places.stream().allMatch(loss::isZero))
            .toList();
    for (int from = 0; from < parts.size(); from += threads) {
      List<MicroBatch> chunk = parts.subList(from, Math.min(parts.size(), from + threads));
      MicroBatchPass[] passes = new MicroBatchPass[chunk.size()];
      Parallel.run(
          threads,
          IntStream.range(0, chunk.size())
              .<Runnable>mapToObj(
                  i ->
                      () -> {
                        passes[i] = borrow();
                        MicroBatch part = chunk.get(i);
                        passes[i].differentiate(
                            part.sequences, (own, logPi) -> loss.of(part.places.get(own), logPi));
                      })
              .toList());
      for (MicroBatchPass pass : passes) {
        ((TorchGradient) into).take(pass.leaves());
        idle.add(pass);
      }
    }
  }

  @Override
  public void close() {
    for (MicroBatchPass pass = idle.poll(); pass != null; pass = idle.poll()) {
      pass.close();
    }
  }
}
