package org.vstar.model.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.vstar.model.engine.Gradient;
import org.vstar.model.engine.Scorer;
import org.vstar.model.engine.Scorer.LossGradient;
import org.vstar.model.engine.Sequence;
import org.vstar.model.rollout.Trajectory;

/**
 * Trajectories as sequences to be scored. A trajectory is several sequences where its policy saw
 * only the last turns; its log-probabilities are those of all of them, in order.
 */
final class TrajectoryBatch {

  private final List<List<Sequence>> trajectories;
  private final List<Sequence> sequences = new ArrayList<>();

  /** The trajectory of each sequence, and where its tokens begin among those of the trajectory. */
  private final List<int[]> places = new ArrayList<>();

  /**
   * Prepares a batch.
   *
   * @param trajectories the sequences of each
   */
  TrajectoryBatch(List<List<Sequence>> trajectories) {
    this.trajectories = trajectories;
    for (int i = 0; i < trajectories.size(); i++) {
      int from = 0;
      for (Sequence sequence : trajectories.get(i)) {
        sequences.add(sequence);
        places.add(new int[] {i, from});
        from += sequence.agentTokens();
      }
    }
  }

  /** All sequences of trajectories. */
  static TrajectoryBatch of(List<Trajectory> trajectories) {
    return new TrajectoryBatch(trajectories.stream().map(Trajectory::sequences).toList());
  }

  /**
   * Trajectories whose sequences ask for other tokens than the written ones.
   *
   * @param asked what is scored in place of a sequence; it has as many agent tokens
   */
  static TrajectoryBatch of(List<Trajectory> trajectories, UnaryOperator<Sequence> asked) {
    return new TrajectoryBatch(
        trajectories.stream().map(own -> own.sequences().stream().map(asked).toList()).toList());
  }

  /** ln π of each trajectory's agent tokens, in order. */
  float[][] logProbabilities(Scorer scorer) {
    float[][] scored = scorer.logProbabilities(sequences);
    float[][] whole = new float[trajectories.size()][];
    Arrays.setAll(
        whole, i -> new float[trajectories.get(i).stream().mapToInt(Sequence::agentTokens).sum()]);
    for (int s = 0; s < scored.length; s++) {
      int[] place = places.get(s);
      System.arraycopy(scored[s], 0, whole[place[0]], place[1], scored[s].length);
    }
    return whole;
  }

  /**
   * Adds the gradient of a loss by the parameters.
   *
   * @param loss by trajectory; called once for each whose gradient is not 0
   */
  void addGradient(Scorer scorer, LossGradient loss, Gradient into) {
    if (trajectories.stream().allMatch(own -> own.size() == 1)) {
      scorer.addGradient(sequences, loss, into);
      return;
    }
    // A loss of a whole trajectory is known when all its sequences are scored.
    float[][] logPi = logProbabilities(scorer);
    float[][] gradients = new float[logPi.length][];
    Arrays.setAll(gradients, i -> loss.isZero(i) ? null : loss.of(i, logPi[i]));
    scorer.addGradient(
        sequences,
        new LossGradient() {
          @Override
          public float[] of(int sequence, float[] own) {
            int[] place = places.get(sequence);
            float[] whole = gradients[place[0]];
            return whole == null
                ? new float[own.length]
                : Arrays.copyOfRange(whole, place[1], place[1] + own.length);
          }

          @Override
          public boolean isZero(int sequence) {
            return gradients[places.get(sequence)[0]] == null;
          }
        },
        into);
  }
}
