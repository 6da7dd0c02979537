package org.vstar.spark.vstar;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SerializableWritable;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;
import org.vstar.env.Environment;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.Sampling;
import org.vstar.model.rollout.Rollouts;
import org.vstar.model.rollout.Trajectory;
import org.vstar.spark.Job;
import org.vstar.spark.Progress;
import org.vstar.spark.RunConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Stage 1 of A*-PO: executors roll the frozen reference policy out N times per train task; from the
 * returns each task's V* is estimated. Writes the tables {@code tasks}, {@code samples} and {@code
 * vstar}.
 *
 * <p>A job that was killed goes on where it stopped, and one that is asked for more samples adds
 * the missing ones: only samples that are not in the table are taken.
 */
@Command(
    name = "vstar",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures what each train task is worth under the reference policy (V*).")
public final class VStarJob implements Callable<Integer> {

  @Mixin private Job job;

  public static void main(String[] args) {
    Job.main(new VStarJob(), args);
  }

  @Override
  public Integer call() {
    long start = System.nanoTime();
    RunConfig config = job.config();
    Environment environment = job.environment();
    Policy reference = job.folder().loadReference();
    SparkSession spark = Job.session("Vstar V*: " + config.name());
    Tables tables = Job.tables(spark, job.folder());
    run(spark, config, environment, reference, tables);
    job.folder().addTime("V*", (System.nanoTime() - start) / 1e9);
    tables
        .vstar()
        .selectExpr(
            "count(*) AS tasks",
            "min(n) AS n",
            "round(avg(v_star), 4) AS v_star",
            "round(avg(v_star_se), 4) AS v_star_se",
            "round(avg(success_rate), 4) AS success_rate")
        .show(false);
    return 0;
  }

  /** Takes the samples that are missing and writes the estimates. */
  public static void run(
      SparkSession spark,
      RunConfig config,
      Environment environment,
      Policy reference,
      Tables tables) {
    VStarConfig vstar = config.vstar();
    List<Task> tasks = environment.tasks(Split.TRAIN);
    Fingerprints fingerprints = Fingerprints.of(reference, environment, config.sampling());
    tables.requireSame(fingerprints);
    tables.writeTasks(environment);
    Set<String> there = tables.sampleKeys(config.seed(), fingerprints);
    List<Unit> units = Unit.missing(tasks, vstar.samples(), vstar.tasksPerUnit(), there);
    if (!units.isEmpty()) {
      tables.requireShared();
      sample(spark, config, environment, reference, fingerprints, tables.samplesPath(), units);
    }
    tables.writeVStar(tasks, vstar.samples(), vstar.beta1(), fingerprints, config.seed());
  }

  /** What every unit needs, sent to each executor once. */
  private record Work(
      Environment environment,
      Policy reference,
      Sampling sampling,
      Fingerprints fingerprints,
      long seed,
      int slots,
      URI directory)
      implements java.io.Serializable {

    /** Rolls out one unit and writes its file. */
    int run(Unit unit, Configuration hadoop, LongAccumulator done) throws java.io.IOException {
      List<Trajectory> trajectories =
          new Rollouts(environment, reference, sampling)
              .run(unit.requests(seed, fingerprints), slots, 1);
      List<Sample> samples = new ArrayList<>();
      trajectories.forEach(t -> samples.add(Sample.of(t)));
      SampleFile.write(new Path(directory), unit.fileName(), samples, fingerprints, hadoop);
      done.add(samples.size());
      return samples.size();
    }
  }

  private static void sample(
      SparkSession spark,
      RunConfig config,
      Environment environment,
      Policy reference,
      Fingerprints fingerprints,
      URI directory,
      List<Unit> units) {
    JavaSparkContext sc = new JavaSparkContext(spark.sparkContext());
    Broadcast<Work> work =
        sc.broadcast(
            new Work(
                environment,
                reference,
                config.sampling(),
                fingerprints,
                config.seed(),
                config.vstar().slots(),
                directory));
    Broadcast<SerializableWritable<Configuration>> hadoop =
        sc.broadcast(new SerializableWritable<>(sc.hadoopConfiguration()));
    LongAccumulator done = spark.sparkContext().longAccumulator("rollouts");
    long rollouts = units.stream().mapToLong(u -> u.keys().size()).sum();
    sc.setJobDescription("V*: " + rollouts + " rollouts of the reference policy");
    spark
        .sparkContext()
        .setCallSite("V*: roll out the reference policy, " + units.size() + " units");
    try {
      Progress.await(
          sc.parallelize(units, units.size())
              .map(unit -> work.value().run(unit, hadoop.value().value(), done))
              .collectAsync(),
          "V*",
          done,
          rollouts,
          config.vstar().samples(),
          System.err);
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "sampling failed; finished units are kept, and the same command goes on from them",
          e.getCause());
    } finally {
      spark.sparkContext().clearCallSite();
      sc.setJobDescription(null);
      work.destroy();
      hadoop.destroy();
    }
  }
}
