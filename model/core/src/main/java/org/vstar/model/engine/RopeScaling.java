package org.vstar.model.engine;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.OptionalKey;

/**
 * How rotary frequencies are stretched, for contexts longer than those a model was first trained
 * on.
 *
 * @param kind which rule
 * @param factor what frequencies are divided by
 * @param lowFrequencyFactor of {@code llama3}: a wave longer than originalContext / this is divided
 * @param highFrequencyFactor of {@code llama3}: a wave shorter than originalContext / this is kept
 * @param originalContext of {@code llama3}: tokens of the first training
 */
public record RopeScaling(
    Kind kind,
    double factor,
    @OptionalKey Double lowFrequencyFactor,
    @OptionalKey Double highFrequencyFactor,
    @OptionalKey Integer originalContext)
    implements Serializable {

  /** The rules there are. */
  public enum Kind {
    /** Every frequency is divided. */
    @JsonProperty("linear")
    LINEAR,
    /** Long waves are divided, short ones kept, those between interpolated (Llama 3.1). */
    @JsonProperty("llama3")
    LLAMA3
  }

  /** Checks the ranges. */
  public RopeScaling {
    InvalidInputException.require(factor >= 1, "ropeScaling.factor", factor, "1 or more");
    if (kind == Kind.LLAMA3) {
      boolean complete =
          lowFrequencyFactor != null && highFrequencyFactor != null && originalContext != null;
      InvalidInputException.require(
          complete
              && lowFrequencyFactor > 0
              && highFrequencyFactor > lowFrequencyFactor
              && originalContext > 0,
          "ropeScaling",
          lowFrequencyFactor + ", " + highFrequencyFactor + ", " + originalContext,
          "0 < lowFrequencyFactor < highFrequencyFactor, and an originalContext");
    }
  }

  /** A rule that divides every frequency. */
  public static RopeScaling linear(double factor) {
    return new RopeScaling(Kind.LINEAR, factor, null, null, null);
  }

  /** The stretched frequency, in radians a position. */
  public double of(double frequency) {
    if (kind == Kind.LINEAR) {
      return frequency / factor;
    }
    double waves = originalContext * frequency / (2 * Math.PI);
    double kept = (waves - lowFrequencyFactor) / (highFrequencyFactor - lowFrequencyFactor);
    double share = Math.max(0, Math.min(1, kept));
    return frequency * (share + (1 - share) / factor);
  }

  CanonicalJson canonical() {
    CanonicalJson canonical =
        CanonicalJson.of("ropeScaling", 1).with("kind", kind.name()).with("factor", factor);
    if (kind == Kind.LLAMA3) {
      canonical
          .with("lowFrequencyFactor", lowFrequencyFactor)
          .with("highFrequencyFactor", highFrequencyFactor)
          .with("originalContext", originalContext);
    }
    return canonical;
  }
}
