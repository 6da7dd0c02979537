package org.vstar.env.ragen;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.vstar.common.CanonicalJson;
import org.vstar.common.Seeds;
import org.vstar.env.ActionGrammar;
import org.vstar.env.AnswerFormat;
import org.vstar.env.Environment;
import org.vstar.env.Episode;
import org.vstar.env.Player;
import org.vstar.env.Split;
import org.vstar.env.Task;
import org.vstar.env.Turn;

/**
 * A game in RAGEN's loop. A task is a seed; splits share no board that is alike, where RAGEN's
 * share a fifth and more of them.
 */
public final class GameEnvironment implements Environment {

  private static final long serialVersionUID = 1L;

  private static final int RAGEN_FIRST_VALIDATION = 123;
  private static final int RAGEN_VALIDATION = 512;
  private static final int RAGEN_FIRST_TRAIN = 10_000;
  private static final int RAGEN_TRAIN = 1_600;
  private static final String TASK = "seed-";
  private static final int EPISODES_FOR_WORDS = 300;

  private final World world;
  private final LoopConfig loop;
  private final SeedConfig seeds;
  private final long looked;
  private final long refused;
  private final EnumMap<Split, ArrayList<Task>> tasks = new EnumMap<>(Split.class);
  private final HashMap<String, Task> byId = new HashMap<>();

  /**
   * Looks for the tasks.
   *
   * @throws org.vstar.common.InvalidInputException if there are not as many as there should be
   */
  public GameEnvironment(World world, LoopConfig loop, SeedConfig seeds) {
    this.world = world;
    this.loop = loop;
    this.seeds = seeds;
    SeededTasks found = SeededTasks.of(world, seeds);
    looked = found.looked();
    refused = found.refused();
    found
        .seeds()
        .forEach(
            (split, all) -> {
              ArrayList<Task> own = new ArrayList<>();
              all.forEach(each -> own.add(task(split, each)));
              own.forEach(task -> byId.put(task.id(), task));
              tasks.put(split, own);
            });
  }

  private Task task(Split split, SeededTasks.Seeded seeded) {
    return new Task(
        TASK + seeded.seed(),
        world.name(),
        split,
        open(seeded.seed(), seeded.seed()).observation(),
        world.category(seeded.board()),
        seeded.board().key());
  }

  private LoopEpisode open(long seed, long worldSeed) {
    return new LoopEpisode(world.game(seed, worldSeed), loop);
  }

  /** The game. */
  World world() {
    return world;
  }

  @Override
  public String name() {
    return world.name();
  }

  @Override
  public String fingerprint() {
    return CanonicalJson.of("game", 1)
        .with("world", world.canonical())
        .with("loop", loop.canonical())
        .with("tasks", seeds.canonical())
        .fingerprint();
  }

  @Override
  public String rewardFingerprint() {
    return CanonicalJson.of("game rewards", 1)
        .with("world", world.name())
        .with("formatPenalty", loop.formatPenalty())
        .fingerprint();
  }

  @Override
  public List<Task> tasks(Split split) {
    return List.copyOf(tasks.get(split));
  }

  /** What RAGEN plays: the world's chance is that of the board's own seed. */
  @Override
  public Episode start(Task task) {
    long seed = seed(task);
    return open(seed, seed);
  }

  @Override
  public Episode start(Task task, long worldSeed) {
    return open(seed(task), worldSeed);
  }

  private long seed(Task task) {
    if (!byId.containsKey(task.id()) || !task.environment().equals(world.name())) {
      throw unknownTask(task);
    }
    return Long.parseLong(task.id().substring(TASK.length()));
  }

  @Override
  public boolean deterministic() {
    return world.deterministic();
  }

  @Override
  public Optional<String> systemMessage() {
    return Optional.of(world.system(loop));
  }

  @Override
  public AnswerFormat answerFormat() {
    return AnswerFormat.RAGEN;
  }

  @Override
  public ActionGrammar actionGrammar() {
    return new ActionGrammar(
        world.actionNames().stream()
            .map(action -> new ActionGrammar.Form(action, new ActionGrammar.Nothing()))
            .toList());
  }

  @Override
  public int maxTurns() {
    return loop.turns();
  }

  /** Prompts, and what some episodes of each player show. */
  @Override
  public List<String> vocabularyText() {
    List<String> text = new ArrayList<>();
    for (Split split : Split.values()) {
      tasks.get(split).forEach(task -> text.add(task.prompt()));
    }
    List<Task> train = tasks.get(Split.TRAIN);
    for (Player player : GamePlayer.baselines().values()) {
      SplittableRandom random = Seeds.random(0, "words of games");
      for (int i = 0; i < EPISODES_FOR_WORDS; i++) {
        for (Turn turn : player.play(this, train.get(i % train.size()), random.nextLong())) {
          text.add(turn.observation());
          text.add(turn.answer().action());
        }
      }
    }
    for (int number = 0; number <= loop.actions(); number++) {
      text.add(Integer.toString(number));
    }
    return text;
  }

  @Override
  public List<String> audit(Split heldOut) {
    Set<String> trained = new HashSet<>();
    tasks.get(Split.TRAIN).forEach(task -> trained.add(task.cluster()));
    long shared =
        tasks.get(heldOut).stream().filter(task -> trained.contains(task.cluster())).count();
    long keys = tasks.get(heldOut).stream().map(Task::cluster).distinct().count();
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "Split by board: %d %s tasks with %d boards that are not alike; %d of the tasks have a"
                + " board like one that is trained on.",
            tasks.get(heldOut).size(),
            heldOut.word(),
            keys,
            shared));
    lines.add(
        String.format(
            Locale.ROOT,
            "Seeds from %d on: %d were looked at, %d give no board.",
            seeds.base(),
            looked,
            refused));
    if (world.hasSeedsOfRagen()) {
      lines.add(ofRagen());
    }
    return lines;
  }

  /** How much of RAGEN's own validation its first 200 steps train on. */
  private String ofRagen() {
    Set<String> boards = new HashSet<>();
    Set<String> keys = new HashSet<>();
    for (int seed = RAGEN_FIRST_TRAIN; seed < RAGEN_FIRST_TRAIN + RAGEN_TRAIN; seed++) {
      Optional<Board> board = world.board(seed);
      board.ifPresent(trained -> boards.add(trained.text()));
      board.ifPresent(trained -> keys.add(trained.key()));
    }
    int same = 0;
    int alike = 0;
    int lost = 0;
    for (int i = 0; i < RAGEN_VALIDATION; i++) {
      Optional<Board> board = world.board(RAGEN_FIRST_VALIDATION + i);
      lost += board.isEmpty() ? 1 : 0;
      same += board.isPresent() && boards.contains(board.get().text()) ? 1 : 0;
      alike += board.isPresent() && keys.contains(board.get().key()) ? 1 : 0;
    }
    return String.format(
        Locale.ROOT,
        "RAGEN's own 512 validation seeds, beside the 1,600 that its first 200 steps train on: %d"
            + " boards are also trained on, %d are like one that is, %d seeds give no board.",
        same,
        alike,
        lost);
  }
}
