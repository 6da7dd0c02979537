package org.vstar.model.rollout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Answer;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Outcome;
import org.vstar.env.Turn;
import org.vstar.model.engine.Generator.Choice;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.engine.Sequence;
import org.vstar.model.policy.BeamConfig;
import org.vstar.model.policy.Policy;
import org.vstar.model.policy.SamplingConfig;

/** Runs one episode: what was read and written so far, and what the decoder must see next. */
final class EpisodeRunner {

  private final Request request;
  private final int index;
  private final int slot;
  private final Policy policy;
  private final SamplingConfig sampling;
  private final AnswerDraft.Rules rules;
  private final int policyVersion;
  private final TimedCalls calls;
  private final Runnable turnTaken;
  private final Episode episode;
  private final SplittableRandom random;
  private final int maxTurns;
  private final AnswerFormat answers;
  private final int tokenBudget;
  private final long startNanos = System.nanoTime();

  private final List<Turn> turns = new ArrayList<>();
  private final List<Integer> turnTokens = new ArrayList<>();
  private final List<String> stateKeys = new ArrayList<>();
  private final Transcript transcript;
  private final List<Sequence> finished = new ArrayList<>();
  private BitSet agent = new BitSet();
  private List<BitSet> allowed = new ArrayList<>();
  private int[] tokens = new int[0];
  private float[] logProbabilities = new float[0];
  private int length;
  private int written;
  private int[] pending;
  private boolean opensWindow;
  private int turnStart;
  private AnswerDraft draft;
  private Outcome last;
  private double episodeReturn;

  EpisodeRunner(
      Request request,
      int index,
      int slot,
      Environment environment,
      Rollouts.Worlds worlds,
      Policy policy,
      SamplingConfig sampling,
      AnswerDraft.Rules rules,
      int policyVersion,
      TimedCalls calls,
      Runnable turnTaken) {
    this.turnTaken = turnTaken;
    this.tokenBudget = sampling.tokenBudget(policy.engine().config().context());
    this.request = request;
    this.index = index;
    this.slot = slot;
    this.policy = policy;
    this.sampling = sampling;
    this.rules = rules;
    this.policyVersion = policyVersion;
    this.calls = calls;
    this.maxTurns = environment.maxTurns();
    this.answers = environment.answerFormat();
    this.random = request.tokenStream();
    this.episode = ask(() -> worlds.start(request.task(), request.environmentSeed()));
    this.transcript = new Transcript(policy.chat(), policy.tokenizer());
    read(new int[0]);
    if (length + sampling.maxTokensPerTurn() > tokenBudget) {
      throw new InvalidInputException(
          "the prompt of task "
              + request.task().id()
              + " has "
              + length
              + " tokens; with sampling.maxTokensPerTurn "
              + sampling.maxTokensPerTurn()
              + " it does not fit into the model's context or sampling.maxTokens, "
              + tokenBudget);
    }
  }

  /** Thrown where the environment failed, so that no fault of ours is taken for one of its. */
  static final class EnvironmentFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient EpisodeFailure failure;

    EnvironmentFailed(EpisodeFailure failure, Throwable cause) {
      super(failure.toString(), cause);
      this.failure = failure;
    }

    EpisodeFailure failure() {
      return failure;
    }
  }

  private <T> T ask(Supplier<T> environment) {
    try {
      return Objects.requireNonNull(calls.call(environment), "the environment gave null");
    } catch (TimedCalls.Interrupted e) {
      throw e;
    } catch (Exception | StackOverflowError | AssertionError | LinkageError e) {
      throw new EnvironmentFailed(EpisodeFailure.of(request, turns.size(), e), e);
    }
  }

  private Outcome step(String action) {
    Outcome outcome = episode.step(action);
    episodeReturn += outcome.reward();
    if (!Double.isFinite(outcome.reward())) {
      throw new ArithmeticException("the reward is " + outcome.reward());
    }
    if (!Double.isFinite(episodeReturn)) {
      throw new ArithmeticException("the sum of the rewards is " + episodeReturn);
    }
    return outcome;
  }

  /**
   * Opens a turn: appends the current observation to what came before, or begins a window of the
   * last turns.
   *
   * @param unseen what the decoder has not seen yet of what came before
   */
  private void read(int[] unseen) {
    int[] observation = transcript.observe(ask(episode::observation));
    if (sampling.appends(turns.size())) {
      pending = Transcript.join(unseen, observation);
    } else {
      finish();
      observation = transcript.lastTurns(sampling.lastTurns());
      pending = observation;
      opensWindow = true;
    }
    append(observation);
    turnStart = length;
    draft = rules.draft();
  }

  /** Sets the present sequence aside, if the agent has written in it, and begins another. */
  private void finish() {
    if (!agent.isEmpty()) {
      finished.add(
          new Sequence(Arrays.copyOf(tokens, agent.length()), agent, List.copyOf(allowed)));
    }
    agent = new BitSet();
    allowed = new ArrayList<>();
    length = 0;
  }

  private void append(int[] more) {
    for (int token : more) {
      append(token);
    }
  }

  private void append(int token) {
    if (length == tokens.length) {
      tokens = Arrays.copyOf(tokens, Math.max(64, 2 * length));
    }
    tokens[length++] = token;
  }

  int index() {
    return index;
  }

  int slot() {
    return slot;
  }

  /** Whether what is {@link #pending} begins a new sequence. */
  boolean opensWindow() {
    return opensWindow;
  }

  /** What the decoder has not seen yet. */
  Extension pending() {
    return new Extension(slot, pending);
  }

  /** How the next token is drawn. */
  Choice choice() {
    return sampling.choice(random.nextDouble(), draft.allowed());
  }

  /** Searches for the answer that begins here. */
  BeamSearch search(BeamConfig beams, List<Integer> slots) {
    opensWindow = false;
    return new BeamSearch(beams, pending(), draft.copy(), slots);
  }

  /**
   * Takes the next tokens of an answer; at its end, acts.
   *
   * @param draws not beyond its end
   */
  void take(List<Draw> draws) {
    opensWindow = false;
    draws.forEach(this::write);
    pending = draws.stream().mapToInt(Draw::token).toArray();
    if (draft.isOver()) {
      act(draft.isEnded());
    }
  }

  private void write(Draw draw) {
    if (draft.allowed() != null) {
      allowed.add(draft.allowed());
    }
    draft.take(draw.token());
    agent.set(length);
    append(draw.token());
    if (written == logProbabilities.length) {
      logProbabilities = Arrays.copyOf(logProbabilities, Math.max(32, 2 * written));
    }
    logProbabilities[written++] = draw.logProbability();
  }

  private void act(boolean ended) {
    int[] answered = draft.tokens();
    int[] text = ended ? Arrays.copyOf(answered, answered.length - 1) : answered;
    Answer answer = answers.read(policy.tokenizer().decode(text), sampling.think());
    String observation = ask(episode::observation);
    stateKeys.add(ask(episode::stateKey));
    last = ask(() -> step(answer.action()));
    turns.add(new Turn(observation, answer, last));
    turnTokens.add(answered.length);
    turnTaken.run();
    if (!last.done() && turns.size() < maxTurns) {
      int[] close = ended ? new int[0] : policy.chat().endOfCutAnswer(policy.tokenizer());
      append(close);
      transcript.answer(Transcript.join(answered, close));
      read(Transcript.join(pending, close));
    }
  }

  /** The trajectory if the episode is over, else null. */
  Trajectory result() {
    StopReason reason = stopReason();
    if (reason == null) {
      return null;
    }
    finish();
    return new Trajectory(
        request.task(),
        request.sampleIndex(),
        request.seed(),
        List.copyOf(turns),
        List.copyOf(finished),
        turnTokens.stream().mapToInt(Integer::intValue).toArray(),
        List.copyOf(stateKeys),
        Arrays.copyOf(logProbabilities, written),
        turns.stream().mapToDouble(t -> t.outcome().reward()).sum(),
        last != null && last.success(),
        reason,
        (System.nanoTime() - startNanos) / 1_000_000,
        policyVersion);
  }

  private StopReason stopReason() {
    if (last != null && last.done()) {
      return StopReason.DONE;
    }
    if (turns.size() >= maxTurns) {
      return StopReason.OUT_OF_TURNS;
    }
    boolean opens = turnStart == length;
    return opens && length + sampling.maxTokensPerTurn() > tokenBudget
        ? StopReason.CONTEXT_FULL
        : null;
  }
}
