package org.vstar.spark.evaluate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.vstar.env.Agent;
import org.vstar.env.ContentHash;
import org.vstar.env.Environment;
import org.vstar.env.InputError;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.Sampling;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;
import org.vstar.model.train.TrainConfig;
import org.vstar.spark.Job;
import org.vstar.spark.RunConfig;
import org.vstar.spark.RunFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Plays all test tasks with scripted agents and policies and writes {@code episodes.jsonl}, {@code
 * evaluation_results.json}, {@code summary.csv}, {@code failure_analysis.md} and {@code
 * report.html}.
 */
@Command(
    name = "evaluate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Evaluates baselines, reference and trained policies on all test tasks.")
public final class EvaluateJob implements Callable<Integer> {

  static final String REFERENCE = "reference";
  static final String TRAINED = "A*-PO ";

  @Mixin private Job job;

  @Option(
      names = "--method",
      paramLabel = "NAME",
      description =
          "evaluate only this one: a scripted agent, reference, A*-PO regression or A*-PO advantage;"
              + " repeatable")
  private List<String> only = List.of();

  public static void main(String[] args) {
    Job.main(new EvaluateJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    long start = System.nanoTime();
    RunConfig config = job.config();
    RunFolder folder = job.folder();
    Environment environment = job.environment();
    Map<String, Agent> agents = new LinkedHashMap<>(config.environment().baselines(environment));
    // Scripted agents alone need no policy.
    boolean agentsOnly = !only.isEmpty() && agents.keySet().containsAll(only);
    Map<String, Policy> policies = agentsOnly ? Map.of() : policies(folder);
    for (String method : only) {
      if (!agents.containsKey(method) && !policies.containsKey(method)) {
        throw new InputError(
            "no method '"
                + method
                + "', there are "
                + agents.keySet()
                + " and "
                + policies.keySet());
      }
    }
    if (!only.isEmpty()) {
      agents.keySet().retainAll(only);
      policies = new LinkedHashMap<>(policies);
      policies.keySet().retainAll(only);
    }
    SparkSession spark = Job.session("Vstar evaluate: " + config.name());
    List<EpisodeRow> rows = new ArrayList<>();
    agents.forEach((name, agent) -> rows.addAll(play(name, agent, environment, config)));
    for (var policy : policies.entrySet()) {
      rows.addAll(play(spark, policy.getKey(), policy.getValue(), environment, config));
    }
    rows.addAll(visits(folder, environment));
    Evaluation evaluation = Evaluation.of(environment.audit(), rows);
    folder.time("evaluate", (System.nanoTime() - start) / 1e9);
    ResultFiles.write(folder.evaluation(), evaluation);
    Path report = folder.evaluation().resolve("report.html");
    Files.writeString(report, HtmlReport.of(config.name(), folder, spark, evaluation));
    System.out.print(ResultFiles.table(evaluation, folder.stageTimes()));
    System.out.println("report: " + report);
    return 0;
  }

  /**
   * What people did on the test tasks of this environment, unless only some methods are asked for.
   */
  private List<EpisodeRow> visits(RunFolder folder, Environment environment) {
    if (!only.isEmpty() || !Files.exists(folder.visits())) {
      return List.of();
    }
    Set<String> ids =
        environment.tasks(Split.TEST).stream().map(Task::id).collect(Collectors.toSet());
    return EpisodeRow.read(folder.visits()).stream()
        .filter(row -> ids.contains(row.taskId()) && row.isOf(environment))
        .toList();
  }

  /** The reference policy, and a policy for each objective that has been trained with. */
  private static Map<String, Policy> policies(RunFolder folder) {
    Map<String, Policy> policies = new LinkedHashMap<>();
    policies.put(REFERENCE, folder.loadReference());
    for (TrainConfig.Kind kind : TrainConfig.Kind.values()) {
      String objective = kind.name().toLowerCase(Locale.ROOT);
      Path policy = folder.training(objective).resolve("policy");
      if (Files.isDirectory(policy)) {
        policies.put(TRAINED + objective, Policy.load(policy));
      }
    }
    return policies;
  }

  private static long seed(RunConfig config, String method, Task task, int sample) {
    return new ContentHash()
        .add("evaluate")
        .add(method)
        .add(task.id())
        .add(sample)
        .add(config.seed())
        .number();
  }

  /** A scripted agent costs nothing: it plays on the driver. */
  private static List<EpisodeRow> play(
      String method, Agent agent, Environment environment, RunConfig config) {
    List<EpisodeRow> rows = new ArrayList<>();
    for (Task task : environment.tasks(Split.TEST)) {
      for (int i = 0; i < config.evaluate().samplesPerTask(); i++) {
        long seed = seed(config, method, task, i);
        rows.add(
            EpisodeRow.of(
                environment,
                method,
                EpisodeRow.SAMPLED,
                task,
                i,
                agent.play(environment, task, seed)));
      }
    }
    return rows;
  }

  /** What an executor needs to play. */
  private record Work(Environment environment, Policy policy, Sampling sampling, int slots)
      implements java.io.Serializable {}

  /** Some episodes of one policy in one mode. */
  private record Unit(String method, String mode, List<Rollouts.Request> requests)
      implements java.io.Serializable {

    List<EpisodeRow> play(Work work) {
      boolean greedy = mode.equals(EpisodeRow.GREEDY);
      Sampling sampling = greedy ? work.sampling().greedy() : work.sampling();
      List<EpisodeRow> rows = new ArrayList<>();
      for (Trajectory t :
          new Rollouts(work.environment(), work.policy(), sampling)
              .run(requests, work.slots(), 1)) {
        rows.add(
            EpisodeRow.of(work.environment(), method, mode, t.task(), t.sampleIndex(), t.turns()));
      }
      return rows;
    }
  }

  private static List<EpisodeRow> play(
      SparkSession spark, String method, Policy policy, Environment environment, RunConfig config) {
    List<Unit> units = new ArrayList<>();
    List<Task> tasks = environment.tasks(Split.TEST);
    int size = config.evaluate().tasksPerUnit();
    for (String mode : List.of(EpisodeRow.SAMPLED, EpisodeRow.GREEDY)) {
      int samples = mode.equals(EpisodeRow.GREEDY) ? 1 : config.evaluate().samplesPerTask();
      for (int from = 0; from < tasks.size(); from += size) {
        List<Rollouts.Request> requests = new ArrayList<>();
        for (Task task : tasks.subList(from, Math.min(tasks.size(), from + size))) {
          for (int i = 0; i < samples; i++) {
            requests.add(new Rollouts.Request(task, i, seed(config, method, task, i)));
          }
        }
        units.add(new Unit(method, mode, requests));
      }
    }
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    sc.setJobDescription("evaluate " + method + " on " + tasks.size() + " test tasks");
    Broadcast<Work> work =
        sc.broadcast(new Work(environment, policy, config.sampling(), config.evaluate().slots()));
    try {
      return sc.parallelize(units, units.size())
          .flatMap(unit -> unit.play(work.value()).iterator())
          .collect();
    } finally {
      work.destroy();
      sc.setJobDescription(null);
    }
  }
}
