package org.vstar.spark.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.vstar.common.ConfigFile;
import org.vstar.common.InvalidInputException;
import org.vstar.env.EnvironmentKind;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.objective.ObjectiveKind;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.store.Store;

/** Makes a run that has nothing but a reference policy that has learned nothing. */
public final class SimulatedRun {

  private SimulatedRun() {}

  /** Writes the run: config, folder. */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      throw new InvalidInputException("expected CONFIG DIR");
    }
    Path file = Path.of(args[0]);
    RunConfig config =
        new ConfigFile()
            .with(EnvironmentKind.all())
            .with(ObjectiveKind.all())
            .read(file, Map.of(), RunConfig.class);
    PolicyFiles.write(
        UntrainedPolicy.of(
            config,
            config
                .environment()
                .open(file.toAbsolutePath().getParent(), config.seed())
                .environment()),
        Store.open(args[1]),
        PolicyFiles.REFERENCE);
  }
}
