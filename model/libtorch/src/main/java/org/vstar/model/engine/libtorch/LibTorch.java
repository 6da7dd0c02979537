package org.vstar.model.engine.libtorch;

import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.function.Supplier;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.DeviceOptional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorArrayRefOptional;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.EngineOptions;

/** The native library: that it is there, its devices and types, and numbers into and out of it. */
final class LibTorch {

  /** Whether LibTorch's jar on the class path is that of the profile cuda. */
  private static final boolean FOR_GPUS =
      LibTorch.class.getResource("/org/bytedeco/pytorch/linux-x86_64-gpu/libtorch_cuda.so") != null;

  private LibTorch() {}

  /** Java loads a class once; a second attempt would only say that the first had failed. */
  private static final class Loaded {
    /** LibTorch asks once for its kernels for GPUs, so they are loaded before all else. */
    static final Throwable GPU_FAILURE = FOR_GPUS ? loadForGpus() : null;

    static final Throwable FAILURE = load();

    private static Throwable loadForGpus() {
      try {
        Loader.load(Class.forName("org.bytedeco.pytorch.global.torch_cuda"));
        return null;
      } catch (ClassNotFoundException | LinkageError e) {
        return e;
      }
    }

    private static Throwable load() {
      try {
        useOneThread();
        // Its CPU build calls OpenBLAS inside loops that are parallel already.
        openblas_nolapack.blas_set_num_threads(1);
        if (GPU_FAILURE != null) {
          System.getLogger(LibTorch.class.getName())
              .log(Level.WARNING, "LibTorch is used without GPUs: " + reason(GPU_FAILURE));
        }
        return null;
      } catch (LinkageError | TypeNotPresentException e) {
        return e;
      }
    }
  }

  /**
   * Loads the library.
   *
   * @throws InvalidInputException naming what is missing
   */
  static void require() {
    if (Loaded.FAILURE != null) {
      throw new InvalidInputException(
          "engine libtorch cannot load LibTorch ("
              + reason(Loaded.FAILURE)
              + "): are the jars of vstar-libtorch, pytorch and openblas for this platform on the"
              + " class path, and can "
              + System.getProperty("user.home")
              + "/.javacpp be written to?"
              + (FOR_GPUS ? " Its build for GPUs needs CUDA 13 with CUPTI too." : ""),
          Loaded.FAILURE);
    }
  }

  private static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return InvalidInputException.oneLine(String.valueOf(root.getMessage()));
  }

  /** Threads are Java's here: LibTorch's own wait for one another in a loop. */
  static void useOneThread() {
    torch.set_num_threads(1);
  }

  /** How many GPUs it sees. */
  static long gpus() {
    require();
    return torch.cuda_is_available() ? torch.cuda_device_count() : 0;
  }

  /**
   * The device of some options, as LibTorch names it.
   *
   * @throws InvalidInputException if it is not there
   */
  static String device(EngineOptions options) {
    long gpus = gpus();
    if (options.device().equals(EngineOptions.AUTO)) {
      return gpus > 0 ? "cuda:0" : EngineOptions.CPU;
    }
    int wanted =
        options.device().equals(EngineOptions.CPU)
            ? -1
            : Integer.parseInt(options.device().substring(options.device().indexOf(':') + 1));
    if (wanted >= gpus) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "device is '%s', and LibTorch sees %d GPUs: %s",
              options.device(),
              gpus,
              whyNotMore()),
          Loaded.GPU_FAILURE);
    }
    return options.device();
  }

  private static String whyNotMore() {
    if (!FOR_GPUS) {
      return "this is its build for the CPU; run submit/build --cuda libtorch for the other";
    }
    return Loaded.GPU_FAILURE == null
        ? "is there a driver, and is the GPU visible to this process?"
        : "its kernels for them cannot be loaded ("
            + reason(Loaded.GPU_FAILURE)
            + "): are there a driver, CUDA 13 with NCCL, and cuDNN 9?";
  }

  static ScalarType scalarType(DType type) {
    return switch (type) {
      case FLOAT32 -> ScalarType.Float;
      case FLOAT16 -> ScalarType.Half;
      case BFLOAT16 -> ScalarType.BFloat16;
    };
  }

  static TensorOptions options(DType type) {
    return new TensorOptions(scalarType(type));
  }

  /** Of numbers that are made where they will be. */
  static TensorOptions options(ScalarType type, String device) {
    return new TensorOptions(type).device(new DeviceOptional(new Device(device)));
  }

  /** What is computed, for the scope around; all else that was made on the way is freed. */
  static Tensor kept(Supplier<Tensor> computation) {
    Tensor result;
    try (PointerScope scope = new PointerScope()) {
      result = computation.get().retainReference();
    }
    PointerScope.getInnerScope().attach(result);
    result.releaseReference();
    return result;
  }

  /** Ids, places and the like on a device. */
  static Tensor longs(long[] values, String device, long... shape) {
    return Tensor.create(values, shape).to(new Device(device), ScalarType.Long);
  }

  /** Numbers on a device. */
  static Tensor floats(float[] values, String device, long... shape) {
    return Tensor.create(values, shape).to(new Device(device), ScalarType.Float);
  }

  /** Numbers on a device. */
  static Tensor doubles(double[] values, String device, long... shape) {
    return Tensor.create(values, shape).to(new Device(device), ScalarType.Double);
  }

  /** Copies a tensor's numbers to the host. */
  static void read(Tensor tensor, float[] into, int offset, int count) {
    try (PointerScope scope = new PointerScope()) {
      Tensor host =
          tensor.detach().to(new Device(EngineOptions.CPU), ScalarType.Float).contiguous();
      host.data_ptr_float().get(into, offset, count);
    }
  }

  /** A tensor's numbers on the host. */
  static float[] read(Tensor tensor) {
    float[] values = new float[Math.toIntExact(tensor.numel())];
    read(tensor, values, 0, values.length);
    return values;
  }

  /** Gradients of everything that a tensor was made of. */
  static void backward(Tensor of, Tensor gradient) {
    of.backward(gradient, new BoolOptional(), false, new TensorArrayRefOptional());
  }

  static Scalar scalar(double value) {
    return new Scalar(value);
  }
}
