package org.vstar.model.advantage;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Default;
import org.vstar.common.Group;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Turn;

/**
 * GiGPO (arXiv 2505.10978, equations 4 to 8): what a turn's tokens are weighed by is the return
 * against those of the same task, and the turn's own discounted return against those of all turns
 * of the task's trajectories that began in the same state.
 *
 * <pre>A = A_episode + stepWeight · A_step</pre>
 *
 * @param rolloutsPerTask size of a task's group, 1 or more
 * @param gamma discount between turns, 0 to 1
 * @param stepWeight weight of the step part, 0 or more
 * @param norm how either part is scaled: {@code mean} (centred only) or {@code mean-std}
 * @param epsilon ε added to a deviation, 0 or more
 * @param episodeStatistics what the episode part's mean is taken over: {@code trajectories}, or
 *     {@code steps}, as verl-agent has it
 */
@Group
public record StepGroups(
    @Default("8") int rolloutsPerTask,
    @Default("0.95") double gamma,
    @Default("1.0") double stepWeight,
    @Default("mean") Norm norm,
    @Default("1.0e-6") double epsilon,
    @Default("trajectories") EpisodeStatistics episodeStatistics)
    implements AdvantageEstimator {

  /** What a part is divided by. */
  public enum Norm {
    /** Nothing. */
    @JsonProperty("mean")
    MEAN,
    /** The deviation of the group. */
    @JsonProperty("mean-std")
    MEAN_STD;

    String word() {
      return this == MEAN ? "mean" : "mean-std";
    }
  }

  /** What the episode part's mean is taken over. */
  public enum EpisodeStatistics {
    /** Trajectories, as in the paper. */
    @JsonProperty("trajectories")
    TRAJECTORIES,
    /** Turns, as in verl-agent: a long trajectory weighs more. */
    @JsonProperty("steps")
    STEPS;

    String word() {
      return this == TRAJECTORIES ? "trajectories" : "steps";
    }
  }

  /**
   * A trajectory's turns, as far as the method looks at them.
   *
   * @param states in which each turn began
   * @param rewards of each turn
   */
  record Steps(String task, List<String> states, double[] rewards) {}

  /** A turn's state is compared within its task. */
  private record Anchor(String task, String state) {}

  /**
   * The parts of each turn's advantage, by trajectory and turn.
   *
   * @param discounted return of the turn
   * @param sizes how many turns are in the turn's group
   */
  record Parts(double[][] episode, double[][] step, double[][] discounted, int[][] sizes) {}

  /** Checks the ranges. */
  public StepGroups {
    InvalidInputException.require(
        rolloutsPerTask > 0, "rolloutsPerTask", rolloutsPerTask, "at least 1");
    InvalidInputException.requireProbability("gamma", gamma);
    InvalidInputException.require(stepWeight >= 0, "stepWeight", stepWeight, "0 or more");
    InvalidInputException.require(epsilon >= 0, "epsilon", epsilon, "0 or more");
  }

  @Override
  public List<Advantage> estimate(List<ScoredTrajectory> step) {
    List<Steps> steps = step.stream().map(StepGroups::steps).toList();
    double[][] ofTurns = advantages(parts(steps));
    List<Advantage> advantages = new ArrayList<>();
    for (int i = 0; i < ofTurns.length; i++) {
      int[] ends = step.get(i).turnEnds();
      double[] ofTokens = new double[step.get(i).old().length];
      for (int turn = 0, t = 0; turn < ends.length; turn++) {
        Arrays.fill(ofTokens, t, ends[turn], ofTurns[i][turn]);
        t = ends[turn];
      }
      advantages.add(Advantage.ofTokens(ofTokens));
    }
    return advantages;
  }

  private static Steps steps(ScoredTrajectory scored) {
    List<Turn> turns = scored.trajectory().turns();
    return new Steps(
        scored.trajectory().task().id(),
        scored.trajectory().stateKeys(),
        turns.stream().mapToDouble(turn -> turn.outcome().reward()).toArray());
  }

  /** The advantage of each turn. */
  double[][] advantages(Parts parts) {
    double[][] advantages = new double[parts.episode.length][];
    for (int i = 0; i < advantages.length; i++) {
      advantages[i] = parts.episode[i].clone();
      for (int turn = 0; turn < advantages[i].length; turn++) {
        advantages[i][turn] += stepWeight * parts.step[i][turn];
      }
    }
    return advantages;
  }

  /** The parts of the advantage. */
  Parts parts(List<Steps> trajectories) {
    double[][] discounted =
        trajectories.stream()
            .map(steps -> new RewardToGo(gamma, 0, null).returns(steps.rewards))
            .toArray(double[][]::new);
    List<Anchor> anchors = new ArrayList<>();
    for (Steps steps : trajectories) {
      steps.states.forEach(state -> anchors.add(new Anchor(steps.task, state)));
    }
    Groups groups = new Groups(anchors);
    double[] flat = Arrays.stream(discounted).flatMapToDouble(Arrays::stream).toArray();
    Moments[] moments = groups.moments(flat, false);
    double[][] step = new double[discounted.length][];
    int[][] sizes = new int[discounted.length][];
    for (int i = 0, at = 0; i < step.length; i++) {
      step[i] = new double[discounted[i].length];
      sizes[i] = new int[discounted[i].length];
      for (int turn = 0; turn < step[i].length; turn++, at++) {
        sizes[i][turn] = groups.size(at);
        step[i][turn] = sizes[i][turn] == 1 ? 0 : relative(flat[at], moments[at]);
      }
    }
    return new Parts(episode(trajectories), step, discounted, sizes);
  }

  private double[][] episode(List<Steps> trajectories) {
    boolean bySteps = episodeStatistics == EpisodeStatistics.STEPS;
    List<String> tasks = new ArrayList<>();
    List<Double> counted = new ArrayList<>();
    int[] first = new int[trajectories.size()];
    double[] returns = new double[trajectories.size()];
    for (int i = 0; i < first.length; i++) {
      Steps steps = trajectories.get(i);
      returns[i] = Arrays.stream(steps.rewards).sum();
      first[i] = tasks.size();
      for (int times = bySteps ? steps.rewards.length : 1; times > 0; times--) {
        tasks.add(steps.task);
        counted.add(returns[i]);
      }
    }
    Groups groups = new Groups(tasks);
    double[] values = counted.stream().mapToDouble(Double::doubleValue).toArray();
    Moments[] moments = groups.moments(values, false);
    double[][] episode = new double[first.length][];
    for (int i = 0; i < first.length; i++) {
      episode[i] = new double[trajectories.get(i).rewards.length];
      if (episode[i].length > 0) {
        boolean alone = groups.size(first[i]) == 1;
        Arrays.fill(episode[i], alone ? returns[i] : relative(returns[i], moments[first[i]]));
      }
    }
    return episode;
  }

  private double relative(double r, Moments group) {
    double centred = r - group.mean();
    return norm == Norm.MEAN || centred == 0
        ? centred
        : centred / (group.deviation(Deviation.SAMPLE) + epsilon);
  }

  /** For fingerprints. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("step-groups", 1)
        .with("rolloutsPerTask", rolloutsPerTask)
        .with("gamma", gamma)
        .with("stepWeight", stepWeight)
        .with("norm", norm.word())
        .with("epsilon", epsilon)
        .with("episodeStatistics", episodeStatistics.word());
  }
}
