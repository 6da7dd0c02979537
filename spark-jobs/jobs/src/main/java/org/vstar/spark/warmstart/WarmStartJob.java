package org.vstar.spark.warmstart;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.vstar.common.InvalidInputException;
import org.vstar.common.RunStore;
import org.vstar.env.AnswerFormat;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Environment;
import org.vstar.env.Opened;
import org.vstar.env.Turn;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.chat.EpisodeMarks;
import org.vstar.model.checkpoint.PolicyFiles;
import org.vstar.model.engine.EngineKind;
import org.vstar.model.engine.EngineOptions;
import org.vstar.model.engine.WeightSource;
import org.vstar.model.imitation.ImitationConfig;
import org.vstar.model.imitation.ImitationKind;
import org.vstar.model.policy.Policy;
import org.vstar.model.tokenizer.BytePairVocabulary;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.WordVocabulary;
import org.vstar.model.train.Checkpoint;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.TrainingMemory;
import org.vstar.spark.run.WarmStartConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Makes the reference policy. Vstar's own small policies and those in Hugging Face's layout learn
 * by imitation (supervised fine-tuning); a Hugging Face model can also be taken as it is.
 */
@Command(
    name = "warm-start",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = JobContext.SPARK_OPTIONS,
    description = "Makes the reference policy: by imitation, or from a Hugging Face model.")
public final class WarmStartJob implements Callable<Integer> {

  /** Episodes whose words are collected for the vocabulary. */
  private static final int VOCABULARY_EPISODES = 256;

  @Mixin private JobContext job;

  @Option(names = "--resume", description = "go on from the newest checkpoint, if there is one")
  private boolean resume;

  /** Runs the job from a command line. */
  public static void main(String[] args) {
    JobContext.main(new WarmStartJob(), args);
  }

  @Override
  public Integer call() throws IOException {
    RunConfig config = job.config();
    if (config.policy().warmStart() != null) {
      ImitationKind.of(config.policy().warmStart().imitation())
          .requireFitting(imitationConfig(config));
    }
    Opened opened = job.open();
    job.locked(PolicyFiles.REFERENCE, () -> train(config, opened));
    return 0;
  }

  private void train(RunConfig config, Opened opened) throws IOException {
    long start = System.nanoTime();
    RunStore store = job.folder().store();
    boolean ended = PolicyFiles.exist(store, PolicyFiles.REFERENCE);
    if (ended && !resume) {
      throw new InvalidInputException(
          "there is a reference policy in "
              + store.location(PolicyFiles.REFERENCE)
              + " already: delete it, or use another --out");
    }
    if (!resume) {
      WarmStartLoop.requireNone(store);
    }
    Reference reference = ended ? former(config, opened) : make(config, opened, store);
    Checkpoint.deleteAll(store, WarmStartLoop.FOLDER);
    if (!ended) {
      job.folder().recordStage("warm start", (System.nanoTime() - start) / 1e9);
    }
    Console.answer(
        "reference policy %s in %s",
        reference.policy.fingerprint(), store.location(PolicyFiles.REFERENCE));
    if (reference.batches != null && config.policy().warmStart().heldOutDemonstrations() > 0) {
      int heldOut = config.policy().warmStart().heldOutDemonstrations();
      Console.out()
          .println(HeldOutDemonstrations.of(reference.policy, reference.batches, config, heldOut));
    }
  }

  /**
   * A reference policy.
   *
   * @param batches what it learned from; null if it was taken as it is
   */
  private record Reference(Policy policy, DemonstrationBatches batches) {}

  /** The one that an earlier warm start ended with. */
  private Reference former(RunConfig config, Opened opened) {
    Policy policy = job.folder().loadReference(config.compute().engine(), config.samplingOptions());
    return new Reference(
        policy,
        config.policy().warmStart() == null
            ? null
            : DemonstrationBatches.of(
                demonstrations(config, opened), policy, opened.environment(), config));
  }

  private Reference make(RunConfig config, Opened opened, RunStore store) throws IOException {
    if (config.policy().warmStart() == null) {
      HuggingFaceStart from = start(config);
      from.requireFitting();
      PolicyFiles.copy(from.model(), from.tokenizer(), from.chat(), store, PolicyFiles.REFERENCE);
      return former(config, opened);
    }
    Reference reference = imitated(config, opened);
    PolicyFiles.write(reference.policy, store, PolicyFiles.REFERENCE);
    return reference;
  }

  private HuggingFaceStart start(RunConfig config) {
    return HuggingFaceStart.of(config, job.environment(), job::resolveFromConfig);
  }

  private DemonstrationSource demonstrations(RunConfig config, Opened opened) {
    DemonstrationSource scripted = opened.demonstrations();
    WarmStartConfig.Recorded recorded = config.policy().warmStart().recorded();
    return recorded == null
        ? scripted
        : RecordedDemonstrations.read(
            job.resolveFromConfig(recorded.file()),
            recorded.share(),
            opened.environment(),
            scripted);
  }

  /** A policy of Vstar's own small shape, whose vocabulary is made here. */
  private Policy small(
      RunConfig config,
      Environment environment,
      DemonstrationSource demonstrations,
      EngineOptions options) {
    ChatTemplate chat = new EpisodeMarks();
    Tokenizer tokenizer = tokenizer(config, environment, demonstrations, chat);
    WeightSource drawn =
        config
            .policy()
            .warmStart()
            .initialization()
            .weights(
                config.policy().model(),
                tokenizer.numbers(),
                DemonstrationBatches.seed(config, "weights"));
    return new Policy(
        EngineKind.of(config.compute().engine()).open(drawn, options), tokenizer, chat);
  }

  /** The policy that begins to imitate. */
  private Policy start(
      RunConfig config,
      Environment environment,
      DemonstrationSource demonstrations,
      EngineOptions options) {
    return config.policy().huggingFace() == null
        ? small(config, environment, demonstrations, options)
        : start(config).policy(config, options, DemonstrationBatches.seed(config, "weights"));
  }

  private Reference imitated(RunConfig config, Opened opened) {
    JobContext.session("Vstar warm start: " + config.name());
    Environment environment = opened.environment();
    DemonstrationSource demonstrations = demonstrations(config, opened);
    EngineOptions options = config.trainingOptions();
    Policy start = start(config, environment, demonstrations, options);
    DemonstrationBatches batches =
        DemonstrationBatches.of(demonstrations, start, environment, config);
    WarmStartConfig warm = config.policy().warmStart();
    // Replicas train on executors, whose memory is not this process's.
    if (warm.imitation().equals(WarmStartConfig.BY_ENGINE) && warm.replicas() == 1) {
      options = TrainingMemory.forWarmStart(config, start, batches.longest(config));
      if (!options.equals(config.trainingOptions())) {
        start.engine().close();
        start = start(config, environment, demonstrations, options);
      }
    }
    WarmStartLoop rounds =
        WarmStartLoop.of(job.folder().store(), config, environment, batches, start);
    ImitationKind kind = ImitationKind.of(config.policy().warmStart().imitation());
    Policy imitated =
        rounds.from(
            start,
            options,
            policy -> kind.start(policy, imitationConfig(config), batches.minibatches(config)));
    return new Reference(imitated, batches);
  }

  static ImitationConfig imitationConfig(RunConfig config) {
    WarmStartConfig warm = config.policy().warmStart();
    return new ImitationConfig(
        warm.replicas(),
        warm.schedule().rounds(),
        warm.schedule().batchesPerRound(),
        warm.optimizer(),
        config.compute().engine(),
        config.samplingOptions(),
        DemonstrationBatches.seed(config, "imitation"));
  }

  /** A vocabulary of the environment's text and of what demonstrators say. */
  private static Tokenizer tokenizer(
      RunConfig config,
      Environment environment,
      DemonstrationSource demonstrations,
      ChatTemplate chat) {
    Set<String> text = new LinkedHashSet<>(environment.vocabularyText());
    // The episodes drawn below may lack some of these words.
    text.addAll(demonstrations.vocabularyText());
    long seed = DemonstrationBatches.seed(config, "vocabulary");
    for (List<Turn> episode : demonstrations.batch(seed, VOCABULARY_EPISODES)) {
      for (Turn turn : episode) {
        text.add(turn.observation());
        text.add(turn.answer().thought());
        text.add(turn.answer().action());
      }
    }
    AnswerFormat format = environment.answerFormat();
    Integer vocabularySize = config.policy().warmStart().vocabularySize();
    return new Tokenizer(
        vocabularySize == null
            ? WordVocabulary.build(text, format, chat.marks())
            : BytePairVocabulary.build(text, vocabularySize, format, chat.marks()));
  }
}
