package org.vstar.model.engine.libtorch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.junit.jupiter.api.Test;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.AdapterContract;
import org.vstar.model.engine.CheckpointContract;
import org.vstar.model.engine.ContractCases;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineContract;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Optimizer;
import org.vstar.model.engine.OptimizerConfig;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Sequence;
import org.vstar.model.engine.TensorSource;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.weights.FlatWeights;
import org.vstar.model.weights.Initialization;

class LibTorchEngineTest implements EngineContract, AdapterContract, CheckpointContract {

  private static final EngineOptions CHECKPOINTING =
      new EngineOptions(1, 1024, EngineOptions.CPU, DType.FLOAT32, true);

  @Override
  public EngineKind kind() {
    return new OnDevice(EngineOptions.CPU);
  }

  private Engine open(EngineOptions options) {
    return kind().open(ContractCases.weights(ContractCases.QWEN3), options);
  }

  private static List<Sequence> batch(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sequence> batch = new ArrayList<>();
    for (int length : new int[] {9, 30, 17}) {
      BitSet agent = new BitSet();
      agent.set(length / 3, length);
      batch.add(
          new Sequence(
              random.ints(length, 0, ContractCases.VOCABULARY).toArray(), agent, List.of()));
    }
    return batch;
  }

  private static float[] gradient(float[] logPi) {
    float[] gradient = new float[logPi.length];
    for (int i = 0; i < gradient.length; i++) {
      gradient[i] = -1f / (i + 1);
    }
    return gradient;
  }

  private static List<float[]> values(TensorSource tensors) {
    List<float[]> values = new ArrayList<>();
    for (TensorSource.Tensor tensor : tensors.tensors()) {
      float[] read = new float[tensor.size()];
      tensors.read(tensor, read, 0);
      values.add(read);
    }
    return values;
  }

  private static void step(Engine engine, Optimizer optimizer, Gradient gradient, int seed) {
    gradient.clear();
    try (Scorer scorer = engine.scorer(1)) {
      scorer.addGradient(batch(seed), (i, logPi) -> gradient(logPi), gradient);
    }
    optimizer.step(gradient, 1e-3);
  }

  @Test
  void aTensorOfMoreThanOnePieceHasTheFingerprintThatItsSourceHas() {
    int vocabulary = 70_000;
    float[] values = new Initialization(0.1, 0.1, false).draw(ContractCases.QWEN3, vocabulary, 1);
    WeightSource source = new FlatWeights(ContractCases.QWEN3, vocabulary, values);
    try (Engine engine = kind().open(source, EngineOptions.ONE_THREAD)) {
      assertThat(engine.weights().fingerprint()).isEqualTo(source.fingerprint());
    }
  }

  @Test
  void activationsThatAreMadeAgainGiveTheSameGradient() {
    List<List<float[]>> gradients = new ArrayList<>();
    for (EngineOptions options : List.of(EngineOptions.ONE_THREAD, CHECKPOINTING)) {
      try (Engine engine = open(options);
          Scorer scorer = engine.scorer(0.8);
          Gradient gradient = engine.gradient()) {
        scorer.addGradient(batch(1), (i, logPi) -> gradient(logPi), gradient);
        gradients.add(values(gradient.tensors()));
      }
    }
    for (int i = 0; i < gradients.get(0).size(); i++) {
      assertThat(gradients.get(1).get(i)).isEqualTo(gradients.get(0).get(i));
    }
  }

  @Test
  void sixteenBitsScoreNearlyAndTrainFloat32Masters() {
    EngineOptions half = EngineOptions.ONE_THREAD.on(EngineOptions.CPU, DType.BFLOAT16);
    try (Engine exact = open(EngineOptions.ONE_THREAD);
        Engine rounded = open(half);
        Scorer exactScorer = exact.scorer(1);
        Scorer roundedScorer = rounded.scorer(1);
        Gradient gradient = rounded.gradient();
        Optimizer optimizer = rounded.optimizer(ContractCases.OPTIMIZER)) {
      assertThat(rounded.fingerprint()).isEqualTo(exact.fingerprint());
      float[][] one = exactScorer.logProbabilities(batch(1));
      float[][] other = roundedScorer.logProbabilities(batch(1));
      for (int i = 0; i < one.length; i++) {
        for (int t = 0; t < one[i].length; t++) {
          assertThat((double) other[i][t]).isCloseTo(one[i][t], within(rounded.logProbTolerance()));
        }
      }
      WeightSource before = open(EngineOptions.ONE_THREAD).weights();
      for (int i = 0; i < 5; i++) {
        gradient.clear();
        roundedScorer.addGradient(batch(2), (k, logPi) -> gradient(logPi), gradient);
        // Steps that bfloat16 would round away.
        optimizer.step(gradient, 1e-6);
      }
      float[] first = values(before).get(0);
      float[] now = values(rounded.weights()).get(0);
      double moved = 0;
      for (int i = 0; i < first.length; i++) {
        moved = Math.max(moved, Math.abs(first[i] - now[i]));
      }
      assertThat(moved).isBetween(1e-6, 1e-4);
    }
  }

  /** LibTorch's optimizer keeps its moments to itself, so there is one beside it. */
  @Test
  void stepsAreLibTorchsAdamWToTheLastBit() {
    OptimizerConfig config = new OptimizerConfig(1, 0, 1, 0.9, 0.98, 1e-8, 0.1, 1);
    try (Engine engine = open(EngineOptions.ONE_THREAD);
        Gradient gradient = engine.gradient();
        Optimizer optimizer = engine.optimizer(config);
        PointerScope scope = new PointerScope()) {
      List<TensorSource.Tensor> shapes = engine.weights().tensors();
      List<Tensor> theirs = new ArrayList<>();
      TensorVector decayed = new TensorVector();
      TensorVector plain = new TensorVector();
      List<float[]> start = values(engine.weights());
      for (int i = 0; i < shapes.size(); i++) {
        TensorSource.Tensor shape = shapes.get(i);
        Tensor tensor =
            (shape.isMatrix()
                    ? Tensor.create(start.get(i), shape.rows(), shape.columns())
                    : Tensor.create(start.get(i), shape.columns()))
                .set_requires_grad(true);
        theirs.add(tensor);
        (shape.isMatrix() ? decayed : plain).push_back(tensor);
      }
      AdamW matrices = adamW(decayed, 0.1);
      AdamW vectors = adamW(plain, 0);
      for (int step = 0; step < 4; step++) {
        step(engine, optimizer, gradient, step);
        List<float[]> gradients = values(gradient.tensors());
        for (int i = 0; i < theirs.size(); i++) {
          Tensor own = Tensor.create(gradients.get(i), theirs.get(i).shape());
          theirs.get(i).mutable_grad().put(own);
        }
        matrices.step();
        vectors.step();
      }
      List<float[]> ours = values(engine.weights());
      for (int i = 0; i < theirs.size(); i++) {
        assertThat(ours.get(i)).as(shapes.get(i).name()).isEqualTo(LibTorch.read(theirs.get(i)));
      }
    }
  }

  private static AdamW adamW(TensorVector parameters, double decay) {
    AdamWOptions options = new AdamWOptions(1e-3);
    // The library's tuples are stored backwards.
    options.betas().put(1, 0.9).put(0, 0.98);
    options.eps().put(1e-8);
    options.weight_decay().put(decay);
    return new AdamW(parameters, options);
  }

  /** The soak runs longer; what a step leaves behind shows after few. */
  @Test
  void stepsAndSamplesLeaveNothingBehind() {
    try (Engine engine = open(CHECKPOINTING);
        Gradient gradient = engine.gradient();
        Optimizer optimizer = engine.optimizer(ContractCases.OPTIMIZER)) {
      long after = 0;
      for (int i = 0; i < 40; i++) {
        step(engine, optimizer, gradient, i);
        try (Generator generator = engine.generator(2)) {
          generator.extend(
              List.of(new Generator.Extension(1, new int[] {1, 2})),
              List.of(new Generator.Choice(0.5, null, 1, 0.9)));
        }
        if (i == 9) {
          after = Pointer.totalCount();
        }
      }
      // Other tests of this class may hold something for a moment.
      assertThat(Pointer.totalCount()).isLessThan(after + 30);
    }
  }

  @Test
  void aGpuThatIsNotThereIsOneLine() {
    EngineOptions missing = EngineOptions.ONE_THREAD.on("cuda:999", DType.FLOAT32);
    assertThatThrownBy(
            () ->
                EngineKind.of(LibTorchEngine.KIND)
                    .open(ContractCases.weights(ContractCases.QWEN3), missing))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(
            "device is 'cuda:999', and LibTorch sees " + LibTorch.gpus() + " GPUs")
        .hasMessageMatching(".*(--cuda libtorch|a driver).*")
        .message()
        .doesNotContain("\n");
  }
}
