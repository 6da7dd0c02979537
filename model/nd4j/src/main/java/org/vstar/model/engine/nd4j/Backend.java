package org.vstar.model.engine.nd4j;

import java.util.Locale;
import org.nd4j.linalg.factory.Nd4j;
import org.vstar.common.InvalidInputException;
import org.vstar.model.engine.DType;
import org.vstar.model.engine.EngineOptions;

/** The backend of ND4J's that is on the class path. */
final class Backend {

  private Backend() {}

  /**
   * Refuses what it cannot do.
   *
   * @throws InvalidInputException naming libtorch, if that can
   */
  static void require(EngineOptions options) {
    if (options.dtype() != DType.FLOAT32) {
      throw new InvalidInputException(
          "dtype is '"
              + options.dtype().torchName()
              + "', and engine nd4j computes in float32 only: use engine: libtorch");
    }
    boolean gpu = works();
    if (gpu && options.device().startsWith("cuda:") && !options.device().equals("cuda:0")) {
      throw new InvalidInputException(
          "device is '"
              + options.device()
              + "', and engine nd4j takes the first GPU that it sees: name it cuda:0 and set"
              + " CUDA_VISIBLE_DEVICES");
    }
    boolean wanted = !options.device().equals(EngineOptions.CPU);
    if (wanted != gpu && !options.device().equals(EngineOptions.AUTO)) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "device is '%s', and ND4J's backend here is for %s: run submit/build --%s nd4j",
              options.device(),
              gpu ? "GPUs" : "the CPU",
              gpu ? "cpu" : "cuda"));
    }
  }

  /** Whether it is a GPU's; tries one operation. */
  private static boolean works() {
    boolean gpu = false;
    try {
      gpu = !Nd4j.getEnvironment().isCPU();
      if (Nd4j.ones(2).addi(1).sumNumber().doubleValue() != 4) {
        throw new IllegalStateException("1 + 1 is not 2 there");
      }
      return gpu;
    } catch (RuntimeException | LinkageError e) {
      throw new InvalidInputException(refusal(gpu, e), e);
    }
  }

  /** One sentence on why ND4J does not work here. */
  static String refusal(boolean gpu, Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String reason = InvalidInputException.oneLine(String.valueOf(root.getMessage()));
    return gpu
        ? "engine nd4j cannot use this GPU ("
            + reason
            + "): ND4J's code for CUDA 11.6 serves compute capabilities 3.7 to 8.6 and 8.9;"
            + " engine libtorch serves 7.5 to 12.0"
        : "engine nd4j cannot load ND4J ("
            + reason
            + "): are nd4j-native's jars on the class path?";
  }
}
