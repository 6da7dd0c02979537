package org.vstar.spark.train;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import org.vstar.env.ContentHash;
import org.vstar.env.Environment;
import org.vstar.env.InputError;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;
import org.vstar.model.train.Checkpoint;
import org.vstar.model.train.TrainConfig;
import org.vstar.model.train.Trainer;
import org.vstar.spark.Job;
import org.vstar.spark.RunConfig;
import org.vstar.spark.vstar.Fingerprints;
import org.vstar.spark.vstar.Tables;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stage 2 of A*-PO: the online loop on the driver, with V* from the table. */
@Command(
    name = "train",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Trains the policy online against the V* table.")
public final class TrainJob implements Callable<Integer> {

  @Mixin private Job job;

  @Option(names = "--resume", description = "go on from the newest checkpoint, if there is one")
  private boolean resume;

  private final ObjectMapper json = new ObjectMapper();

  public static void main(String[] args) {
    Job.main(new TrainJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    long start = System.nanoTime();
    RunConfig config = job.config();
    TrainConfig train = config.train();
    String objective = train.objective().name().toLowerCase(Locale.ROOT);
    Environment environment = job.environment();
    Policy reference = job.folder().loadReference();
    Path folder = job.folder().training(objective);
    Path checkpoints = folder.resolve("checkpoints");
    Optional<Path> newest = Checkpoint.latest(checkpoints);
    if (Files.exists(folder) && !resume) {
      throw new InputError(
          "there is a training run in "
              + folder
              + " already: --resume goes on with it, another --out starts a new one");
    }
    SparkSession spark = Job.session("Vstar train: " + config.name());
    Fingerprints fingerprints = Fingerprints.of(reference, environment, config.sampling());
    Tables.Values values =
        Job.tables(spark, job.folder()).values(fingerprints, config.vstar().beta1());
    Trainer trainer =
        new Trainer(
            environment,
            reference.copy(),
            reference,
            config.sampling(),
            values.byTask(),
            train,
            config.seed());
    String run =
        new ContentHash()
            .add(settings(train))
            .add(config.seed())
            .add(fingerprints.toString())
            .add(values.runId())
            .hex();
    newest.ifPresent(checkpoint -> Checkpoint.restore(checkpoint, trainer, run));
    Files.createDirectories(folder);
    Path metrics = folder.resolve("metrics.jsonl");
    keepBefore(metrics, trainer.step());
    loop(config, environment, trainer, metrics, checkpoints, run, values.runId());
    save(trainer.policy(), folder.resolve("policy"));
    job.folder().addTime("train " + objective, (System.nanoTime() - start) / 1e9);
    System.out.printf(
        "policy %s after %d steps in %s%n",
        trainer.policy().fingerprint(), trainer.step(), folder.resolve("policy"));
    return 0;
  }

  /** The policy appears whole, or not at all; a finished run that is resumed has it already. */
  private static void save(Policy policy, Path target) throws IOException {
    if (!Files.exists(target)) {
      Path partial = target.resolveSibling(".policy.partial");
      policy.save(partial);
      Files.move(partial, target);
    }
  }

  /** Everything in the train section that numbers depend on. */
  private String settings(TrainConfig train) {
    ObjectNode tree = json.valueToTree(train);
    return tree.without(List.of("threads", "slots", "checkpointEvery")).toString();
  }

  private void loop(
      RunConfig config,
      Environment environment,
      Trainer trainer,
      Path metrics,
      Path checkpoints,
      String run,
      String table)
      throws IOException {
    TrainConfig train = config.train();
    if (trainer.step() == 0) {
      append(metrics, evaluation(config, environment, trainer));
    }
    while (trainer.step() < train.steps()) {
      Trainer.Step step = trainer.next();
      ObjectNode line = json.valueToTree(step);
      append(metrics, line.put("kind", "step"));
      System.err.printf(
          Locale.ROOT,
          "step %d of %d: return %.3f (V* %.3f), success %.3f, turns %.2f, KL %.2f, entropy %.3f,"
              + " %.1f s%n",
          step.step() + 1,
          train.steps(),
          step.reward(),
          step.vStar(),
          step.success(),
          step.turns(),
          step.kl(),
          step.entropy(),
          step.rolloutSeconds() + step.updateSeconds());
      if (step.skipped()) {
        System.err.printf(
            "step %d was skipped, its loss or gradient is not finite (%d so far)%n",
            step.step() + 1, trainer.skipped());
      }
      boolean last = trainer.step() == train.steps();
      if (last || trainer.step() % train.evaluateEvery() == 0) {
        append(metrics, evaluation(config, environment, trainer));
      }
      if (last || trainer.step() % train.checkpointEvery() == 0) {
        Checkpoint.save(checkpoints, trainer, config.seed(), run, table);
      }
    }
  }

  /** Greedy episodes on the first test tasks. */
  private ObjectNode evaluation(RunConfig config, Environment environment, Trainer trainer) {
    TrainConfig train = config.train();
    List<Task> tasks = environment.tasks(Split.TEST);
    List<Rollouts.Request> requests = new ArrayList<>();
    for (Task task : tasks.subList(0, Math.min(tasks.size(), train.evaluateTasks()))) {
      requests.add(new Rollouts.Request(task, 0, 0));
    }
    List<Trajectory> episodes =
        new Rollouts(environment, trainer.policy(), config.sampling().greedy())
            .run(requests, train.slots(), train.threads());
    int n = episodes.size();
    double success = episodes.stream().filter(Trajectory::success).count() / (double) n;
    double reward = episodes.stream().mapToDouble(Trajectory::returned).sum() / n;
    double turns = episodes.stream().mapToInt(t -> t.turns().size()).sum() / (double) n;
    System.err.printf(
        Locale.ROOT,
        "evaluation after %d steps: success %.3f on %d test tasks%n",
        trainer.step(),
        success,
        n);
    return json.createObjectNode()
        .put("kind", "evaluation")
        .put("step", trainer.step())
        .put("episodes", n)
        .put("success", success)
        .put("reward", reward)
        .put("turns", turns);
  }

  private void append(Path file, ObjectNode line) throws IOException {
    Files.writeString(
        file,
        json.writeValueAsString(line) + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** Drops what a killed run wrote after the checkpoint that this one goes on from. */
  private void keepBefore(Path metrics, int step) throws IOException {
    if (!Files.exists(metrics)) {
      return;
    }
    List<String> kept = new ArrayList<>();
    for (String line : Files.readAllLines(metrics)) {
      if (step > 0 && line.endsWith("}")) {
        var tree = json.readTree(line);
        boolean evaluation = tree.path("kind").asText().equals("evaluation");
        if (tree.path("step").asInt() < step + (evaluation ? 1 : 0)) {
          kept.add(line);
        }
      }
    }
    Path partial = metrics.resolveSibling(".metrics.partial");
    Files.write(partial, kept);
    Files.move(partial, metrics, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }
}
