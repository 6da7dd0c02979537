package org.vstar.spark.train;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.vstar.env.Environment;
import org.vstar.model.rollout.Trajectory;
import org.vstar.model.train.Trainer;
import org.vstar.spark.report.HtmlReport;
import org.vstar.spark.report.TrainingRecord;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.EpisodeRow;

/**
 * Shows how far training has come: a page that loads itself again, and the episodes of some
 * updates.
 *
 * @param values V* of the train tasks
 */
record TrainingReport(
    RunConfig config, Environment environment, RunFolder run, TrainingRecord.Histogram values) {

  /** Writes the page anew, with the episodes of the last update. */
  void write(Trainer trainer) throws IOException {
    String objective = config.train().objective();
    String folder = RunFolder.training(objective);
    TrainingRecord.keep(run.store(), folder, trainer.step(), episodes(trainer));
    HtmlReport.write(
        config.name() + ", " + objective,
        run,
        TrainingRecord.read(run, List.of(objective), values),
        folder,
        trainer.step(),
        config.train().steps());
  }

  private List<EpisodeRow> episodes(Trainer trainer) {
    String method = config.objective().method() + " " + config.train().objective();
    List<EpisodeRow> rows = new ArrayList<>();
    for (Trainer.Weighed weighed : trainer.trajectories()) {
      Trajectory own = weighed.trajectory();
      rows.add(
          EpisodeRow.of(
                  environment,
                  method,
                  EpisodeRow.SAMPLED,
                  own.task(),
                  own.sampleIndex(),
                  own.turns())
              .with(
                  new EpisodeRow.Learned(
                      trainer.step() - 1, weighed.vStar(), weighed.advantage())));
    }
    return rows;
  }
}
