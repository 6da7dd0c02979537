package org.vstar.spark.train;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Environment;
import org.vstar.model.rollout.Trajectory;
import org.vstar.model.train.Trainer;
import org.vstar.spark.report.HtmlReport;
import org.vstar.spark.report.TrainingRecord;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.RunFolder;
import org.vstar.spark.score.DecodingMode;
import org.vstar.spark.score.EpisodeRow;

/**
 * Shows how far training has come: a page that loads itself again, and the episodes of some
 * updates. A page that cannot be written is a warning; training goes on.
 *
 * @param values V* of the train tasks
 */
record TrainingReport(
    RunConfig config, Environment environment, RunFolder run, TrainingRecord.Values values) {

  private static final Logger LOG = LoggerFactory.getLogger(TrainingReport.class);

  /** Writes the page anew, with the episodes of the last update. */
  void write(Trainer trainer) {
    int steps = config.train().schedule().steps();
    boolean going = trainer.step() < steps;
    String state =
        going
            ? String.format(
                Locale.ROOT,
                "In training: %d of %d updates. This page loads itself again every %d seconds.",
                trainer.step(),
                steps,
                HtmlReport.REFRESH_SECONDS)
            : String.format(Locale.ROOT, "Trained: %d updates.", steps);
    write(trainer, state, going);
  }

  /** Writes a last page of a training that ended too soon. */
  void stopped(Trainer trainer) {
    String state =
        String.format(
            Locale.ROOT,
            "Stopped after %d of %d updates; the job's own message says why.",
            trainer.step(),
            config.train().schedule().steps());
    write(trainer, state, false);
  }

  private void write(Trainer trainer, String state, boolean going) {
    String objective = config.train().target().objective();
    String folder = RunFolder.training(objective);
    try {
      if (!trainer.trajectories().isEmpty()) {
        TrainingRecord.keep(run.store(), folder, trainer.step(), episodes(trainer));
      }
      TrainingRecord record = TrainingRecord.read(run, List.of(objective), values);
      HtmlReport.write(config.name() + ", " + objective, run, record, folder, state, going);
    } catch (IOException | InvalidInputException e) {
      LOG.warn(
          "the report in {} is not up to date: {}", run.store().location(folder), e.getMessage());
    }
  }

  private List<EpisodeRow> episodes(Trainer trainer) {
    String method = config.objective().method() + " " + config.train().target().objective();
    List<EpisodeRow> rows = new ArrayList<>();
    Map<String, Integer> before = new HashMap<>();
    for (Trainer.Weighed weighed : trainer.trajectories()) {
      Trajectory own = weighed.trajectory();
      // One update may take a task more than once.
      int sample = before.merge(own.task().id(), 1, Integer::sum) - 1;
      EpisodeRow row =
          EpisodeRow.of(environment, method, DecodingMode.SAMPLED, own.task(), sample, own.turns());
      rows.add(
          row.withAgentTokens(own.agentTokens())
              .withLearned(
                  new EpisodeRow.Learned(
                      trainer.step() - 1, finite(weighed.vStar()), finite(weighed.advantage()))));
    }
    return rows;
  }

  private static Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }
}
