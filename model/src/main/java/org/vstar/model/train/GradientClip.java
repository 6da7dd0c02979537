package org.vstar.model.train;

/**
 * Clipping by the global L2 norm. The norm is summed in the order of the parameters, so that it
 * does not depend on a number of threads (as ND4J's own would).
 */
final class GradientClip {

  private GradientClip() {}

  static double norm(float[] gradient) {
    double squares = 0;
    for (float g : gradient) {
      squares += (double) g * g;
    }
    return Math.sqrt(squares);
  }

  /**
   * Scales a gradient down to a norm of at most {@code most}.
   *
   * @param norm what {@link #norm} says
   */
  static void clip(float[] gradient, double norm, double most) {
    if (norm > most) {
      float scale = (float) (most / norm);
      for (int i = 0; i < gradient.length; i++) {
        gradient[i] *= scale;
      }
    }
  }
}
