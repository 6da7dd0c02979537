package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.vstar.common.Parallel;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;

/**
 * Cuts a batch into micro-batches and shares them among threads. Gradients of micro-batches are
 * summed in the order of the batch, so that the number of threads does not matter.
 */
final class VectorScorer implements Scorer {

  /** Some sequences of the batch, by their places in it. */
  private record MicroBatch(List<Integer> places, List<Sequence> sequences) {

    /** Without those that add nothing; the others are packed with the same ones as before. */
    MicroBatch without(LossGradient loss) {
      MicroBatch left = new MicroBatch(new ArrayList<>(), new ArrayList<>());
      for (int i = 0; i < places.size(); i++) {
        if (!loss.isZero(places.get(i))) {
          left.places.add(places.get(i));
          left.sequences.add(sequences.get(i));
        }
      }
      return left;
    }
  }

  private final Transformer transformer;
  private final double temperature;
  private final EngineOptions options;

  /** They keep their buffers, so that a thread uses one over and over. */
  private final Queue<MicroBatchScorer> scoring = new ConcurrentLinkedQueue<>();

  /** Those that keep the activations of all layers too. */
  private final Queue<MicroBatchScorer> differentiating = new ConcurrentLinkedQueue<>();

  private float[][] gradients = new float[0][];

  VectorScorer(Transformer transformer, double temperature, EngineOptions options) {
    this.transformer = transformer;
    this.temperature = temperature;
    this.options = options;
  }

  private List<MicroBatch> microBatches(List<Sequence> batch) {
    List<MicroBatch> microBatches = new ArrayList<>();
    int tokens = 0;
    for (int i = 0; i < batch.size(); i++) {
      int length = batch.get(i).tokens().length;
      if (microBatches.isEmpty() || tokens + length > options.microBatchTokens()) {
        microBatches.add(new MicroBatch(new ArrayList<>(), new ArrayList<>()));
        tokens = 0;
      }
      MicroBatch last = microBatches.get(microBatches.size() - 1);
      last.places.add(i);
      last.sequences.add(batch.get(i));
      tokens += length;
    }
    return microBatches;
  }

  private interface Work {
    void run(MicroBatchScorer scorer);
  }

  private void withScorer(Queue<MicroBatchScorer> idle, Work work) {
    MicroBatchScorer scorer =
        Optional.ofNullable(idle.poll())
            .orElseGet(
                () -> new MicroBatchScorer(transformer, temperature, idle == differentiating));
    work.run(scorer);
    idle.add(scorer);
  }

  @Override
  public float[][] logProbabilities(List<Sequence> batch) {
    float[][] result = new float[batch.size()][];
    List<Runnable> work = new ArrayList<>();
    for (MicroBatch microBatch : microBatches(batch)) {
      work.add(() -> withScorer(scoring, scorer -> score(scorer, microBatch, result)));
    }
    Parallel.run(options.threads(), work);
    return result;
  }

  private static void score(MicroBatchScorer scorer, MicroBatch microBatch, float[][] into) {
    float[] logPi = scorer.logProbabilities(microBatch.sequences);
    int at = 0;
    for (int i = 0; i < microBatch.sequences.size(); i++) {
      int agentTokens = microBatch.sequences.get(i).agentTokens();
      into[microBatch.places.get(i)] = Arrays.copyOfRange(logPi, at, at + agentTokens);
      at += agentTokens;
    }
  }

  @Override
  public void addGradient(List<Sequence> batch, LossGradient loss, Gradient into) {
    List<MicroBatch> microBatches =
        microBatches(batch).stream()
            .map(own -> own.without(loss))
            .filter(own -> !own.sequences.isEmpty())
            .toList();
    int size = transformer.trained().length;
    int places = Math.min(OrderedSum.places(options.threads(), size), microBatches.size());
    if (gradients.length < places) {
      gradients = new float[places][size];
    }
    OrderedSum sum = new OrderedSum(gradients, ((VectorGradient) into)::add);
    float[][] logPi = new float[batch.size()][];
    Parallel.run(
        options.threads(),
        IntStream.range(0, microBatches.size())
            .<Runnable>mapToObj(
                i ->
                    () ->
                        sum.add(
                            i,
                            gradient ->
                                withScorer(
                                    differentiating,
                                    s ->
                                        differentiate(
                                            s, microBatches.get(i), loss, logPi, gradient))))
            .toList());
  }

  /** Adds the gradient of one micro-batch. */
  private void differentiate(
      MicroBatchScorer scorer,
      MicroBatch microBatch,
      LossGradient loss,
      float[][] logPi,
      float[] gradient) {
    score(scorer, microBatch, logPi);
    int agentTokens = microBatch.sequences.stream().mapToInt(Sequence::agentTokens).sum();
    float[] logProbGradient = new float[agentTokens];
    int at = 0;
    for (int i = 0; i < microBatch.sequences.size(); i++) {
      int index = microBatch.places.get(i);
      float[] own = loss.of(index, logPi[index]);
      System.arraycopy(own, 0, logProbGradient, at, own.length);
      at += own.length;
    }
    scorer.addGradient(logProbGradient, gradient);
  }

  @Override
  public void close() {
    scoring.clear();
    differentiating.clear();
  }
}
