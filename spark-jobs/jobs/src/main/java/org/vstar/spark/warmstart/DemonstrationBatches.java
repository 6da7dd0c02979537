package org.vstar.spark.warmstart;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;
import org.vstar.common.Seeds;
import org.vstar.env.AnswerFormat;
import org.vstar.env.DemonstrationSource;
import org.vstar.env.Environment;
import org.vstar.env.Turn;
import org.vstar.model.chat.ChatTemplate;
import org.vstar.model.engine.Sequence;
import org.vstar.model.imitation.Minibatches;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;
import org.vstar.model.rollout.Demonstrations;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.spark.run.RunConfig;
import org.vstar.spark.run.WarmStartConfig;

/**
 * Whatever is imitated, as the tokens of a policy.
 *
 * @param source demonstrations
 * @param tokenizer as JSON; it is opened where it is used
 * @param context most tokens of an episode
 * @param sampling how a policy would see an episode
 */
record DemonstrationBatches(
    DemonstrationSource source,
    ChatTemplate chat,
    String tokenizer,
    Lazy<Tokenizer> opened,
    int context,
    AnswerFormat format,
    SamplingConfig sampling)
    implements Serializable {

  /** Demonstrations in a sample of them. */
  private static final int SAMPLE = 64;

  /** Demonstrations whose lengths are looked at, at most: they take some seconds. */
  private static final int MEASURED = 2048;

  /**
   * Batches for a policy.
   *
   * @param policy its tokenizer, chat and context are what demonstrations are written for
   */
  static DemonstrationBatches of(
      DemonstrationSource source, Policy policy, Environment environment, RunConfig config) {
    return new DemonstrationBatches(
        source,
        policy.chat(),
        policy.tokenizer().json(),
        new Lazy<>(),
        config.sampling().tokenBudget(policy.engine().config().context()),
        environment.answerFormat(),
        config.sampling());
  }

  /** The seed of one minibatch. */
  static long seed(RunConfig config, int round, int number) {
    return seed(config.seed(), round, number);
  }

  private static long seed(long ofRun, int round, int number) {
    return Seeds.derive(ofRun, "minibatch", round, number);
  }

  /** The minibatches of a warm start. */
  Minibatches minibatches(RunConfig config) {
    long seed = config.seed();
    int size = config.policy().warmStart().schedule().batch();
    return (round, number) -> batch(seed(seed, round, number), size);
  }

  /**
   * Content hash of the tokenizer, of a sample of the demonstrations and of all recorded ones: it
   * tells demonstrations of other settings from these.
   */
  String sample(RunConfig config) {
    ContentHash hash = new ContentHash().add(tokenizer);
    source.vocabularyText().forEach(hash::add);
    for (Sequence sequence : batch(seed(config, "sample"), SAMPLE)) {
      hash.add(Arrays.toString(sequence.tokens())).add(sequence.agent().toString());
    }
    return hash.hex();
  }

  /**
   * Tokens of the longest sequence that the warm start trains on: of all its minibatches, or of the
   * first that have some thousands of demonstrations together.
   */
  int longest(RunConfig config) {
    WarmStartConfig.Schedule schedule = config.policy().warmStart().schedule();
    int all = schedule.rounds() * schedule.batchesPerRound();
    Minibatches minibatches = minibatches(config);
    int longest = 0;
    for (int i = 0; i < Math.min(all, MEASURED / schedule.batch() + 1); i++) {
      int round = i / schedule.batchesPerRound();
      for (Sequence sequence : minibatches.minibatch(round, i % schedule.batchesPerRound())) {
        longest = Math.max(longest, sequence.tokens().length);
      }
    }
    return longest;
  }

  /**
   * A minibatch.
   *
   * @param size its demonstrations; one whose slips fill the context gives no sequence, and where a
   *     policy sees the last turns alone one gives several
   * @throws InvalidInputException if none gives a sequence
   */
  List<Sequence> batch(long seed, int size) {
    List<Sequence> sequences = new ArrayList<>();
    demonstrations(seed, size).forEach(sequences::addAll);
    if (sequences.isEmpty()) {
      throw new InvalidInputException(
          String.format(
              Locale.ROOT,
              "warm start: of %d demonstrations in a minibatch none has an answer to imitate within"
                  + " the model's context and sampling.maxTokens: raise these or warmStart.batch,"
                  + " or shorten huggingFace.system",
              size));
    }
    return sequences;
  }

  /** The sequences of each demonstration of a minibatch. */
  List<List<Sequence>> demonstrations(long seed, int size) {
    Tokenizer words = opened.get(() -> new Tokenizer(tokenizer));
    List<List<Sequence>> demonstrations = new ArrayList<>();
    for (List<Turn> episode : source.batch(seed, size)) {
      demonstrations.add(Demonstrations.sequences(episode, chat, words, format, sampling, context));
    }
    return demonstrations;
  }

  /** The same of demonstrations that were not imitated. */
  DemonstrationBatches heldOut() {
    return new DemonstrationBatches(
        source.heldOut(), chat, tokenizer, opened, context, format, sampling);
  }

  /** The seed of one use of chance in a warm start. */
  static long seed(RunConfig config, String use) {
    return Seeds.derive(config.seed(), "warm start", use);
  }
}
