package org.vstar.model.engine.vector;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Sequence;
import org.vstar.model.kernels.Kernels;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.kernels.Sampler;
import org.vstar.model.weights.FlatTensors.Slice;
import org.vstar.model.weights.ParameterLayout;

/**
 * Log-probabilities of the agent's tokens of one micro-batch, and the gradient of any function of
 * them. One per thread: it owns the buffers.
 */
public final class MicroBatchScorer {

  private static final long LARGEST = Integer.MAX_VALUE - 8;

  private final Transformer transformer;
  private final ModelConfig c;
  private final ParameterLayout layout;
  private final Activations a;
  private final CausalAttention attention;
  private final BackwardPass backward;
  private final float inverseTemperature;

  private int[] tokens = new int[0];
  private int[] positions = new int[0];
  private int[] starts = new int[0];
  private int n;

  /** For each scored token: the one whose logits predict it, its id, what it was chosen from. */
  private int[] before = new int[0];

  private int[] targets = new int[0];
  private final boolean differentiable;
  private BitSet[] choices = new BitSet[0];
  private int scored;

  private float[] normed = new float[0];
  private float[] inverse = new float[0];
  private float[] logits = new float[0];
  private float[] dNormed = new float[0];

  /**
   * Makes a scorer.
   *
   * @param temperature what sampling divides logits by: the policy is the distribution that is
   *     sampled from
   */
  public MicroBatchScorer(Transformer transformer, double temperature) {
    this(transformer, temperature, true);
  }

  /**
   * Makes a scorer.
   *
   * @param differentiable whether it keeps the activations of all layers, for {@link #addGradient};
   *     the scores are the same
   */
  MicroBatchScorer(Transformer transformer, double temperature, boolean differentiable) {
    if (!(temperature > 0)) {
      throw new IllegalArgumentException("temperature " + temperature + " has no density");
    }
    this.differentiable = differentiable;
    this.transformer = transformer;
    this.c = transformer.config();
    this.layout = transformer.layout();
    this.a = new Activations(transformer, differentiable);
    this.attention = new CausalAttention(transformer);
    this.backward = new BackwardPass(transformer, a, attention);
    this.inverseTemperature = (float) (1 / temperature);
  }

  /**
   * Scores a batch.
   *
   * @return ln π of every agent token, sequence by sequence, in order
   */
  public float[] logProbabilities(List<Sequence> batch) {
    pack(batch);
    attention.sequences(starts, batch.size());
    transformer.forward(tokens, positions, n, new Rows(before, scored), a, attention);
    int v = transformer.vocabulary();
    normed = atLeast(normed, (long) scored * layout.width());
    inverse = atLeast(inverse, scored);
    logits = atLeast(logits, (long) scored * v);
    transformer.logits(a, scored, normed, inverse, logits);
    float[] logProbabilities = new float[scored];
    for (int r = 0; r < scored; r++) {
      Sampler.restrict(logits, r * v, v, choices[r], inverseTemperature);
      logProbabilities[r] = Sampler.logProbability(logits, r * v, v, targets[r]);
    }
    return logProbabilities;
  }

  private void pack(List<Sequence> batch) {
    makeRoom(batch);
    int t = 0;
    int r = 0;
    for (int i = 0; i < batch.size(); i++) {
      Sequence s = batch.get(i);
      int length = s.tokens().length;
      if (length > c.context()) {
        throw new IllegalArgumentException(
            "sequence of " + length + " tokens, but the context is " + c.context());
      }
      starts[i] = t;
      System.arraycopy(s.tokens(), 0, tokens, t, length);
      for (int p = 0; p < length; p++) {
        positions[t + p] = p;
      }
      int answer = 0;
      for (int p = s.agent().nextSetBit(0); p >= 0; p = s.agent().nextSetBit(p + 1)) {
        before[r] = t + p - 1;
        targets[r] = s.target(p, answer);
        choices[r] = s.allowed().isEmpty() ? null : s.allowed().get(answer);
        answer++;
        r++;
      }
      t += length;
    }
    starts[batch.size()] = t;
  }

  private void makeRoom(List<Sequence> batch) {
    n = 0;
    scored = 0;
    for (Sequence s : batch) {
      n += s.tokens().length;
      scored += s.agentTokens();
    }
    if (tokens.length < n) {
      tokens = new int[n];
      positions = new int[n];
    }
    starts = new int[batch.size() + 1];
    if (before.length < scored) {
      before = new int[scored];
      targets = new int[scored];
      choices = new BitSet[scored];
    }
  }

  private float[] atLeast(float[] buffer, long size) {
    if (size > LARGEST) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "the logits of %d tokens do not fit into one Java array: lower"
                  + " train.microBatchTokens or sampling.maxTokens, or use engine: libtorch",
              scored));
    }
    return buffer.length >= size ? buffer : new float[(int) Math.min(LARGEST, size + size / 2)];
  }

  /**
   * Adds the gradient of a loss to {@code gradient}, for the batch of the last {@link
   * #logProbabilities}, which this uses up.
   *
   * @param logProbGradient d loss / d ln π of each scored token, in the order they were returned in
   * @param gradient as long as what is trained
   */
  public void addGradient(float[] logProbGradient, float[] gradient) {
    if (!differentiable) {
      throw new IllegalStateException("this scorer keeps no activations");
    }
    int d = layout.width();
    int v = transformer.vocabulary();
    Slice embedding = layout.embedding();
    Slice head = layout.head();
    for (int r = 0; r < scored; r++) {
      softmaxGradient(r, v, logProbGradient[r]);
    }
    // logits = normed·Hᵀ
    boolean trainsParameters = transformer.lowRank() == null;
    if (trainsParameters) {
      a.product.multiply(
          View.transposed(logits, 0, v),
          View.rows(normed, 0, d),
          View.rows(gradient, head.offset(), d),
          v,
          d,
          scored,
          true);
    }
    dNormed = atLeast(dNormed, scored * d);
    a.product.multiply(
        View.rows(logits, 0, v),
        transformer.panels().of(head),
        View.rows(dNormed, 0, d),
        scored,
        d,
        v,
        false);
    float[] dx = backward.stream(n);
    float[] last = a.stream(c.layers());
    Slice gain = layout.finalNorm();
    for (int r = 0; r < scored; r++) {
      int at = r * d;
      backward.norm(last, at, inverse[r], dNormed, at, gain, c.width(), dx, at, gradient);
    }
    backward.blocks(positions, n, new Rows(before, scored), gradient);
    for (int t = 0; trainsParameters && t < n; t++) {
      Kernels.addScaled(1f, dx, t * d, gradient, embedding.offset() + tokens[t] * d, d);
    }
  }

  /** Overwrites a row of logits with logProbGradient·(1[token] − p) / temperature. */
  private void softmaxGradient(int r, int v, float logProbGradient) {
    float max = Kernels.max(logits, r * v, v);
    float sum = Kernels.exponentials(logits, r * v, v, max);
    float scale = logProbGradient * inverseTemperature;
    Kernels.scale(-scale / sum, logits, r * v, v);
    logits[r * v + targets[r]] += scale;
  }
}
