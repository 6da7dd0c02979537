package org.vstar.spark.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.vstar.env.Environment;
import org.vstar.model.checkpoint.HuggingFaceModel;
import org.vstar.model.engine.Engine;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.policy.Policy;
import org.vstar.model.rollout.Rollouts;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.train.Validation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * What training's short evaluation says of the reference policy, and of models that other programs
 * have trained from it: a line for each.
 */
@Command(name = "greedy-success")
public final class GreedySuccess implements Callable<Integer> {

  @Mixin private JobContext job;

  @Parameters(index = "0", description = "folder of the reference policy")
  private String reference;

  @Parameters(
      index = "1..*",
      description = "folders of models in Hugging Face's layout, which have its tokens")
  private List<Path> models = List.of();

  /** Plays. */
  public static void main(String[] args) {
    JobContext.main(new GreedySuccess(), args);
  }

  @Override
  public Integer call() throws IOException {
    Policy policy = job.policy(reference).open();
    play(reference, policy);
    for (Path model : models) {
      RunConfig config = job.config();
      try (Engine engine =
          EngineKind.of(config.compute().engine())
              .open(HuggingFaceModel.open(model), config.samplingOptions())) {
        play(model.toString(), new Policy(engine, policy.tokenizer(), policy.chat()));
      }
    }
    return 0;
  }

  private void play(String name, Policy policy) {
    RunConfig config = job.config();
    Environment environment = job.environment();
    double success =
        Validation.scalars(
                new Rollouts(environment, policy, config.sampling().greedy())
                    .run(
                        Validation.requests(config, environment),
                        config.train().batch().slots(),
                        config.train().batch().threads()))
            .get("success");
    System.out.printf(Locale.ROOT, "%s %.6f%n", name, success);
  }
}
