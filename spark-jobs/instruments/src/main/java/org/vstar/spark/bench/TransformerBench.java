package org.vstar.spark.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.reduce.Mmul;
import org.nd4j.linalg.factory.Nd4j;
import org.vstar.common.Parallel;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.vector.Decoder;
import org.vstar.model.engine.vector.MicroBatchScorer;
import org.vstar.model.engine.vector.Transformer;
import org.vstar.model.kernels.Kernels.View;
import org.vstar.model.kernels.MatrixProduct;
import org.vstar.model.weights.Initialization;

/**
 * Measures the matrix product against ND4J's in the same process, and the model's forward, backward
 * and decoding. Every line is the median of many repetitions, after a warm-up.
 */
public final class TransformerBench {

  private static final int REPETITIONS = 31;
  private static final int VOCABULARY = 2048;
  private static final int BATCH = 8;
  private static final int LENGTH = 256;

  private TransformerBench() {}

  public static void main(String[] args) {
    int threads = Runtime.getRuntime().availableProcessors();
    System.out.printf(Locale.ROOT, "%d processors%n%n", threads);
    for (int[] shape :
        new int[][] {{64, 128, 256}, {1024, 128, 256}, {2048, 128, 704}, {1024, 256, 1024}}) {
      product(shape[0], shape[1], shape[2], threads);
    }
    System.out.println();
    for (int width : new int[] {128, 256}) {
      model(width, threads);
    }
    decoding(64);
    System.out.println();
    for (int width : new int[] {128, 256}) {
      shares(width);
    }
  }

  private static double median(Runnable work) {
    double[] seconds = new double[REPETITIONS];
    for (int i = -REPETITIONS; i < REPETITIONS; i++) {
      long start = System.nanoTime();
      work.run();
      if (i >= 0) {
        seconds[i] = (System.nanoTime() - start) / 1e9;
      }
    }
    Arrays.sort(seconds);
    return seconds[REPETITIONS / 2];
  }

  private static float[] random(int n) {
    Random random = new Random(n);
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = random.nextFloat() - 0.5f;
    }
    return x;
  }

  private static void product(int m, int k, int n, int threads) {
    float[] a = random(m * k);
    float[] b = random(k * n);
    float[] c = new float[m * n];
    View left = View.rows(a, 0, k);
    View right = View.rows(b, 0, n);
    View out = View.rows(c, 0, n);
    MatrixProduct product = new MatrixProduct();
    double one = median(() -> product.multiply(left, right, out, m, n, k, false));
    INDArray x = Nd4j.create(a, new long[] {m, k}, 'c');
    INDArray y = Nd4j.create(b, new long[] {k, n}, 'c');
    INDArray z = Nd4j.create(new long[] {m, n}, 'c');
    double nd4j = median(() -> Nd4j.exec(new Mmul(x, y, z, null)));
    double operations = 2e-9 * m * k * n;
    System.out.printf(
        Locale.ROOT,
        "product %4d × %3d × %4d: ours, one thread %5.1f GFLOP/s; ND4J, %d threads %5.1f GFLOP/s%n",
        m,
        k,
        n,
        operations / one,
        threads,
        operations / nd4j);
  }

  private static List<Sequence> batch(int sequences) {
    SplittableRandom random = new SplittableRandom(1);
    List<Sequence> batch = new ArrayList<>();
    for (int i = 0; i < sequences; i++) {
      BitSet agent = new BitSet();
      agent.set(1, LENGTH);
      batch.add(new Sequence(random.ints(LENGTH, 0, VOCABULARY).toArray(), agent, List.of()));
    }
    return batch;
  }

  private static Transformer transformer(int width) {
    ModelConfig c = new ModelConfig(4, width, 4, 4, 4 * width, 512, 10_000, 1e-5, false);
    return new Transformer(
        c, VOCABULARY, new Initialization(0.05, 0.05, false).draw(c, VOCABULARY, 1));
  }

  private static void model(int width, int threads) {
    Transformer model = transformer(width);
    List<Sequence> share = batch(BATCH / threads);
    List<Runnable> forward = new ArrayList<>();
    List<Runnable> both = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      MicroBatchScorer scorer = new MicroBatchScorer(model, 1);
      float[] gradient = new float[model.weights().length];
      float[] logProbGradient = new float[share.size() * (LENGTH - 1)];
      Arrays.fill(logProbGradient, -1f / logProbGradient.length);
      forward.add(() -> scorer.logProbabilities(share));
      both.add(
          () -> {
            scorer.logProbabilities(share);
            scorer.addGradient(logProbGradient, gradient);
          });
    }
    double f = median(() -> Parallel.run(threads, forward));
    double fb = median(() -> Parallel.run(threads, both));
    System.out.printf(
        Locale.ROOT,
        "width %d, 4 layers, %d × %d tokens, %d threads: forward %.0f ms, forward + backward %.0f ms"
            + " (%.0f tokens/s)%n",
        width,
        BATCH,
        LENGTH,
        threads,
        1e3 * f,
        1e3 * fb,
        BATCH * LENGTH / fb);
  }

  /** Seconds of a product in a loop of its own. */
  private static double alone(int m, int k, int n, boolean turned, boolean add) {
    View a = turned ? View.transposed(random(m * k), 0, m) : View.rows(random(m * k), 0, k);
    View b = View.rows(random(k * n), 0, n);
    View c = View.rows(new float[m * n], 0, n);
    MatrixProduct product = new MatrixProduct();
    return median(() -> product.multiply(a, b, c, m, n, k, add));
  }

  /** Forward, the gradient by what went in, and that by the matrix. */
  private static double projection(int tokens, int in, int out) {
    return alone(tokens, in, out, false, false)
        + alone(tokens, out, in, false, false)
        + alone(in, tokens, out, true, true);
  }

  /** What a step of one thread spends its time on; attention sees half of the tokens on average. */
  private static void shares(int width) {
    Transformer model = transformer(width);
    int sequences = BATCH / 2;
    int tokens = sequences * LENGTH;
    MicroBatchScorer scorer = new MicroBatchScorer(model, 1);
    List<Sequence> share = batch(sequences);
    float[] gradient = new float[model.weights().length];
    float[] by = new float[sequences * (LENGTH - 1)];
    Arrays.fill(by, -1f / by.length);
    Runnable work =
        () -> {
          scorer.logProbabilities(share);
          scorer.addGradient(by, gradient);
        };
    double step = median(work);
    long allocated = allocated(work);
    ModelConfig c = model.config();
    double projections = projection(tokens, width, VOCABULARY);
    for (int out : new int[] {3 * width, width, 2 * c.feedForward()}) {
      projections += c.layers() * projection(tokens, width, out);
    }
    projections += c.layers() * projection(tokens, c.feedForward(), width);
    int rows = 16;
    int blocks = c.layers() * c.heads() * sequences * LENGTH / rows;
    double attention =
        blocks
            * (3 * alone(rows, c.headWidth(), LENGTH / 2, false, false)
                + 2 * alone(rows, LENGTH / 2, c.headWidth(), false, false)
                + 2 * alone(LENGTH / 2, rows, c.headWidth(), true, true));
    System.out.printf(
        Locale.ROOT,
        "width %d, one thread, forward + backward of %d × %d tokens: products with weights %.0f %%,"
            + " attention's products %.0f %%, the rest %.0f %%; %.1f MB allocated%n",
        width,
        sequences,
        LENGTH,
        100 * projections / step,
        100 * attention / step,
        100 * (1 - (projections + attention) / step),
        1e-6 * allocated);
  }

  /** Bytes that this thread takes from the heap in one run of the work. */
  private static long allocated(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static void decoding(int slots) {
    Transformer model = transformer(128);
    Decoder decoder = new Decoder(model, slots);
    int[] next = {7};
    double step =
        median(
            () -> {
              if (decoder.length(0) + 1 >= model.config().context()) {
                IntStream.range(0, slots).forEach(decoder::reset);
              }
              decoder.extend(
                  IntStream.range(0, slots)
                      .mapToObj(slot -> new Generator.Extension(slot, next))
                      .toList());
            });
    System.out.printf(
        Locale.ROOT,
        "width 128, 4 layers, decoding %d episodes side by side, 1 thread: %.0f tokens/s%n",
        slots,
        slots / step);
  }
}
