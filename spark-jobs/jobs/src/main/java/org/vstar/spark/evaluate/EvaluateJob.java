package org.vstar.spark.evaluate;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.env.Opened;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.checkpoint.StoredPolicy;
import org.vstar.spark.console.Console;
import org.vstar.spark.report.BestReference;
import org.vstar.spark.report.HtmlReport;
import org.vstar.spark.report.ResultFiles;
import org.vstar.spark.report.TrainingRecord;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.EpisodeRow;
import org.vstar.spark.score.Evaluation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Plays all tasks of a held-out split with scripted agents and policies and writes {@code
 * episodes.jsonl}, {@code evaluation_results.json}, {@code summary.csv}, {@code
 * failure_analysis.md} and {@code report.html}.
 */
@Command(
    name = "evaluate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description =
        "Evaluates baselines, reference and trained policies on all validation tasks, or with"
            + " --final on all test tasks.")
public final class EvaluateJob implements Callable<Integer> {

  @Mixin private JobContext job;

  @Option(
      names = "--method",
      paramLabel = "NAME",
      description =
          "evaluate only this one: a scripted agent, reference, or a trained policy as the results"
              + " name it (for example 'A*-PO regression'); repeatable")
  private List<String> only = List.of();

  @Option(
      names = "--policy",
      paramLabel = "FOLDER",
      description =
          "evaluate this policy, in Hugging Face's layout (a folder or a URI), instead of the run's;"
              + " repeatable. Results are called by the folder's name and take the place of the run's. Scripted agents"
              + " play beside it if --method names them")
  private List<String> given = List.of();

  @Option(
      names = "--final",
      description = "play the test tasks: once, at the end, when nothing is left to choose")
  private boolean last;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new EvaluateJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    Split split = last ? Split.TEST : Split.VALIDATION;
    Opened opened = job.open();
    job.locked(RunFolder.evaluation(split), () -> evaluate(opened, split));
    return 0;
  }

  private void evaluate(Opened opened, Split split) throws IOException {
    long start = System.nanoTime();
    Environment environment = opened.environment();
    RunConfig config = job.config();
    RunFolder run = job.folder();
    Map<String, Player> agents = new LinkedHashMap<>(opened.baselines());
    // Scripted agents alone need no policy.
    boolean agentsOnly = !only.isEmpty() && agents.keySet().containsAll(only);
    Map<String, StoredPolicy> policies = new LinkedHashMap<>();
    if (!given.isEmpty()) {
      choose(agents, Map.of());
      agents.keySet().retainAll(only);
      given.forEach(folder -> add(folder, agents, policies));
    } else {
      policies.putAll(agentsOnly ? Map.of() : policies(config, run));
      choose(agents, policies);
    }
    SparkSession spark = JobContext.session("Vstar evaluate: " + config.name());
    TrainingRecord training =
        TrainingRecord.read(
            run,
            config.objectives().keySet(),
            TrainingRecord.values(JobContext.tables(spark, run)));
    // On test tasks nothing is chosen: the reference's mode is the one that validation tasks chose.
    Optional<DecodingMode> best =
        last ? BestReference.of(run).map(BestReference::mode) : Optional.empty();
    List<EpisodeRow> rows = new ArrayList<>(visits(run, environment, split));
    agents.forEach(
        (name, agent) -> rows.addAll(playAgent(name, agent, environment, split, config)));
    List<String> remarks = new ArrayList<>(environment.audit(split));
    List<Task> seen = trainTasks(environment, config.evaluate().trainTasks());
    policies.forEach(
        (name, policy) -> {
          PolicyGames games = new PolicyGames(spark, name, policy, environment, config);
          rows.addAll(games.sampled(environment.tasks(split)));
          List<EpisodeRow> greedy = games.greedy(environment.tasks(split));
          rows.addAll(greedy);
          rows.addAll(games.searched(environment.tasks(split)));
          if (!seen.isEmpty()) {
            remarks.add(gap(name, split, games.greedy(seen), greedy));
          }
        });
    List<String> trained =
        policies.keySet().stream().filter(name -> !name.equals(Evaluation.REFERENCE)).toList();
    Evaluation evaluation =
        last
            ? Evaluation.of(split, remarks, trained, rows, best.orElse(null))
            : Evaluation.of(split, remarks, trained, rows);
    run.recordStage("evaluate", (System.nanoTime() - start) / 1e9);
    report(config, run, training, split, evaluation);
  }

  private static void report(
      RunConfig config, RunFolder run, TrainingRecord training, Split split, Evaluation evaluation)
      throws IOException {
    String folder = RunFolder.evaluation(split);
    ResultFiles.write(run.store(), folder, evaluation);
    HtmlReport.write(config.name(), run, training, folder, evaluation);
    Console.out().print(ResultFiles.table(evaluation, run.stageTimes()));
    Console.out().println("report: " + run.store().location(folder + HtmlReport.FILE));
  }

  private void add(String folder, Map<String, Player> agents, Map<String, StoredPolicy> policies) {
    StoredPolicy policy = job.policy(folder);
    String name = policy.name();
    if (agents.containsKey(name) || policies.put(name, policy) != null) {
      throw new InvalidInputException(
          "--policy " + folder + ": there is a method '" + name + "' already, rename the folder");
    }
  }

  /** Leaves what {@code --method} asks for. */
  private void choose(Map<String, Player> agents, Map<String, StoredPolicy> policies) {
    for (String method : only) {
      if (!agents.containsKey(method) && !policies.containsKey(method)) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "no method '%s', there are %s and %s",
                method,
                agents.keySet(),
                policies.keySet()));
      }
    }
    if (!only.isEmpty()) {
      agents.keySet().retainAll(only);
      policies.keySet().retainAll(only);
    }
  }

  /**
   * What people did on the split's tasks in this environment, unless only some methods are asked
   * for.
   */
  private List<EpisodeRow> visits(RunFolder run, Environment environment, Split split)
      throws IOException {
    if (!only.isEmpty() || !given.isEmpty()) {
      return List.of();
    }
    Set<String> ids = environment.tasks(split).stream().map(Task::id).collect(Collectors.toSet());
    List<EpisodeRow> visits = new ArrayList<>();
    for (String name : run.store().list(RunFolder.VISITS)) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(run.store().read(name), StandardCharsets.UTF_8))) {
        EpisodeRow.read(run.store().location(name), lines.lines().toList()).stream()
            .filter(row -> ids.contains(row.taskId()) && row.isOf(environment))
            .forEach(visits::add);
      }
    }
    return visits;
  }

  /** The reference policy, and a policy for each objective that has been trained with. */
  private static Map<String, StoredPolicy> policies(RunConfig config, RunFolder run) {
    run.requireReference();
    Map<String, StoredPolicy> policies = new LinkedHashMap<>();
    policies.put(
        Evaluation.REFERENCE,
        run.storedReference(config.compute().engine(), config.samplingOptions()));
    config
        .objectives()
        .forEach(
            (name, objective) ->
                run.storedTrained(name, config.compute().engine(), config.samplingOptions())
                    .ifPresent(policy -> policies.put(objective.method() + " " + name, policy)));
    return policies;
  }

  /** A scripted agent costs nothing: it plays on the driver. */
  private static List<EpisodeRow> playAgent(
      String method, Player agent, Environment environment, Split split, RunConfig config) {
    List<EpisodeRow> rows = new ArrayList<>();
    List<Task> tasks = environment.tasks(split);
    Console.progress("evaluate %s: %d tasks, on the driver", method, tasks.size());
    for (Task task : tasks) {
      for (int i = 0; i < config.evaluate().samplesPerTask(); i++) {
        long seed = PolicyGames.seed(config, method, DecodingMode.SAMPLED, task, i);
        rows.add(
            EpisodeRow.of(
                environment,
                method,
                DecodingMode.SAMPLED,
                task,
                i,
                agent.play(environment, task, seed)));
      }
    }
    return rows;
  }

  /** Some train tasks, as held-out tasks are: without variations. */
  private static List<Task> trainTasks(Environment environment, int count) {
    return ContentHash.order(
            environment.originals(Split.TRAIN), task -> new ContentHash().add("gap").add(task.id()))
        .stream()
        .limit(count)
        .toList();
  }

  private static String gap(
      String method, Split split, List<EpisodeRow> train, List<EpisodeRow> heldOut) {
    double seen = successes(train);
    double unseen = successes(heldOut);
    return String.format(
        Locale.ROOT,
        "%s, greedy: %.1f %% of %d train tasks, %.1f %% of the %s tasks; %+.1f points between them.",
        method,
        seen,
        train.size(),
        unseen,
        split.word(),
        seen - unseen);
  }

  private static double successes(List<EpisodeRow> rows) {
    return 100.0 * rows.stream().filter(EpisodeRow::success).count() / rows.size();
  }
}
