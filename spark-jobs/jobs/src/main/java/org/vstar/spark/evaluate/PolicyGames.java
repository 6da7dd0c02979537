package org.vstar.spark.evaluate;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.Seeds;
import org.vstar.env.Environment;
import org.vstar.env.Task;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.model.policy.BeamConfig;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Request;
import org.vstar.spark.rollout.DistributedRollouts;
import org.vstar.spark.rollout.DistributedRollouts.Requests;
import org.vstar.spark.rollout.DistributedRollouts.WorkUnit;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.EpisodeRow;

/**
 * Episodes of a policy, played by executors.
 *
 * @param method what results call the policy
 */
record PolicyGames(
    SparkSession spark,
    String method,
    StoredPolicy policy,
    Environment environment,
    RunConfig config) {

  /** Plays tasks sampled, at every temperature and as often as the config says. */
  List<EpisodeRow> sampled(List<Task> tasks) {
    SamplingConfig sampling = config.sampling();
    int samples = config.evaluate().samplesPerTask();
    List<EpisodeRow> rows = new ArrayList<>(play(DecodingMode.SAMPLED, sampling, samples, tasks));
    for (double temperature : config.evaluate().temperatures()) {
      DecodingMode mode = DecodingMode.sampledAt(temperature);
      rows.addAll(play(mode, sampling.at(temperature), samples, tasks));
    }
    return rows;
  }

  /** Plays tasks greedily, each once. */
  List<EpisodeRow> greedy(List<Task> tasks) {
    return play(DecodingMode.GREEDY, config.sampling().greedy(), 1, tasks);
  }

  /** Plays tasks with answers that are searched for, each once; none if the config has no beams. */
  List<EpisodeRow> searched(List<Task> tasks) {
    BeamConfig beams = config.evaluate().beams();
    return beams == null
        ? List.of()
        : play(
            DecodingMode.beamsOf(beams.width()),
            config.sampling(),
            beams,
            Math.max(1, config.evaluate().slots() / beams.width()),
            1,
            tasks);
  }

  private List<EpisodeRow> play(
      DecodingMode mode, SamplingConfig sampling, int samples, List<Task> tasks) {
    return play(mode, sampling, null, config.evaluate().slots(), samples, tasks);
  }

  private List<EpisodeRow> play(
      DecodingMode mode,
      SamplingConfig sampling,
      BeamConfig beams,
      int slots,
      int samples,
      List<Task> tasks) {
    // A damaged file is told here, before executors open it.
    policy.open();
    String name = method;
    List<EpisodeRow> rows = new ArrayList<>();
    new DistributedRollouts(
            environment, policy, slots, config.faults(), config.compute().cacheOutcomes())
        .run(
            spark,
            "evaluate " + name + ", " + mode,
            units(mode, sampling, beams, samples, tasks),
            tasks.size(),
            0,
            (own, unit, trajectories) ->
                trajectories.stream()
                    .map(
                        t ->
                            EpisodeRow.of(own, name, mode, t.task(), t.sampleIndex(), t.turns())
                                .withAgentTokens(t.agentTokens()))
                    .collect(Collectors.toCollection(ArrayList::new)),
            some -> {})
        .results()
        .forEach(rows::addAll);
    return rows;
  }

  /** A split is small: its episodes are known before. */
  private record Episodes(ArrayList<Request> all) implements Requests {
    private static final long serialVersionUID = 1L;

    @Override
    public int size() {
      return all.size();
    }
  }

  private List<WorkUnit> units(
      DecodingMode mode, SamplingConfig sampling, BeamConfig beams, int samples, List<Task> tasks) {
    int size = config.evaluate().tasksPerUnit();
    List<WorkUnit> units = new ArrayList<>();
    for (int from = 0; from < tasks.size(); from += size) {
      ArrayList<Request> requests = new ArrayList<>();
      for (Task task : tasks.subList(from, Math.min(tasks.size(), from + size))) {
        for (int i = 0; i < samples; i++) {
          requests.add(new Request(task, i, seed(config, method, mode, task, i)));
        }
      }
      units.add(
          new WorkUnit(
              method + "-" + mode + "-" + units.size(), sampling, beams, new Episodes(requests)));
    }
    return units;
  }

  /** The seed of an episode that a method plays. */
  static long seed(RunConfig config, String method, DecodingMode mode, Task task, int sample) {
    return Seeds.derive(config.seed(), "evaluation", method, mode.toString(), task.id(), sample);
  }
}
