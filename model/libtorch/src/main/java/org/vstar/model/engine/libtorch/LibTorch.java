package org.vstar.model.engine.libtorch;

import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Device;
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

  private LibTorch() {}

  /** Java loads a class once; a second attempt would only say that the first had failed. */
  private static final class Loaded {
    static final Throwable FAILURE = load();

    private static Throwable load() {
      try {
        useOneThread();
        // Its CPU build calls OpenBLAS inside loops that are parallel already.
        openblas_nolapack.blas_set_num_threads(1);
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
      Throwable root = Loaded.FAILURE;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      throw new InvalidInputException(
          "engine libtorch cannot load LibTorch ("
              + InvalidInputException.oneLine(String.valueOf(root.getMessage()))
              + "): are the jars of vstar-libtorch, pytorch and openblas for this platform on the"
              + " class path, and can "
              + System.getProperty("user.home")
              + "/.javacpp be written to?",
          Loaded.FAILURE);
    }
  }

  /** Threads are Java's here: LibTorch's own wait for one another in a loop. */
  static void useOneThread() {
    torch.set_num_threads(1);
  }

  /**
   * The device of some options, as LibTorch names it.
   *
   * @throws InvalidInputException if it is not there
   */
  static String device(EngineOptions options) {
    require();
    long gpus = torch.cuda_is_available() ? torch.cuda_device_count() : 0;
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
              "device is '%s', and LibTorch sees %d GPUs: %s",
              options.device(),
              gpus,
              torch.hasCUDA()
                  ? "is there a driver, and is the GPU visible to this process?"
                  : "this is its build for the CPU; build with the profile cuda for the other"));
    }
    return options.device();
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
