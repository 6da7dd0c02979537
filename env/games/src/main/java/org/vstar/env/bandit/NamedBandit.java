package org.vstar.env.bandit;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.vstar.common.CanonicalJson;
import org.vstar.env.Split;
import org.vstar.env.python.NumpyGenerator;
import org.vstar.env.python.PythonText;
import org.vstar.env.ragen.Board;
import org.vstar.env.ragen.Budget;
import org.vstar.env.ragen.Game;
import org.vstar.env.ragen.LoopConfig;
import org.vstar.env.ragen.SystemMessage;
import org.vstar.env.ragen.World;

/**
 * RAGEN's own bandit: two arms with names of professions, of which one sounds safe. The arms and
 * their order belong to the task; what the risky one pays is the world's chance.
 */
record NamedBandit() implements World {

  static final String NAME = "ragen-bandit";

  private static final double SAFE = 0.1;
  private static final double CHANCE = 0.25;

  /** Safe and risky arms that RAGEN trains with. */
  static final List<List<String>> TRAIN =
      List.of(
          List.of("Teacher", "Trader"),
          List.of("Nurse", "StartupFounder"),
          List.of("Librarian", "Investor"),
          List.of("Accountant", "StockBroker"),
          List.of("Engineer", "RealEstateAgent"),
          List.of("Pharmacist", "Musician"),
          List.of("Clerk", "Freelancer"),
          List.of("Technician", "Youtuber"),
          List.of("Planner", "Artist"),
          List.of("Postman", "Pilot"),
          List.of("Banker", "VentureCapitalist"),
          List.of("Gardener", "Cryptominer"));

  /** Those that it validates with. Ours are half for validation, half for test. */
  static final List<List<String>> HELD_OUT =
      List.of(
          List.of("Receptionist", "Explorer"),
          List.of("Archivist", "Filmmaker"),
          List.of("Bookkeeper", "Consultant"),
          List.of("SocialWorker", "Photographer"),
          List.of("Mechanic", "GameDesigner"),
          List.of("Secretary", "Entrepreneur"),
          List.of("Cashier", "DataScientist"),
          List.of("CivilServant", "StartupAccelerator"));

  /**
   * The machine of a seed.
   *
   * @param pair safe and risky arm
   * @param safeFirst which is named first
   */
  record Machine(List<String> pair, boolean safeFirst) {

    static Machine of(long seed, List<List<String>> pairs) {
      NumpyGenerator random = new NumpyGenerator(seed);
      List<String> pair = pairs.get((int) (random.random() * pairs.size()));
      return new Machine(pair, random.random() < 0.5);
    }

    List<String> arms() {
      return safeFirst ? pair : List.of(pair.get(1), pair.get(0));
    }
  }

  /** One pull. */
  static final class Pull implements Game {
    private final Machine machine;
    private final NumpyGenerator random;
    private String state;

    /**
     * Before it.
     *
     * @param random its first two draws are those of RAGEN's reset, and have no effect
     */
    Pull(Machine machine, NumpyGenerator random) {
      this.machine = machine;
      this.random = random;
      random.random();
      random.random();
      this.state = rules(machine.arms().get(0), machine.arms().get(1));
    }

    /** RAGEN's text (MIT licence, 2025 RAGEN Team). */
    private static String rules(String first, String second) {
      return "You are playing a bandit game. Goal: Maximize your total reward by choosing which arm"
          + " to pull. \nGame Rules: \n1. There are 2 arms, named "
          + first
          + " and "
          + second
          + "\n2. Each arm has its own reward distribution, related to their names. \n3. Analyze the"
          + " symbolic meaning of each arm's name to guess how their reward distribution might"
          + " behave.\n4. Based on the symbolic meaning of their names, which arm do you think is"
          + " more likely to give higher rewards on average? Choose between "
          + first
          + " and "
          + second
          + ", and output like <answer> "
          + first
          + " </answer> or <answer> "
          + second
          + " </answer>.\n";
    }

    @Override
    public String state() {
      return state;
    }

    @Override
    public List<String> actions() {
      return machine.arms();
    }

    @Override
    public Move play(String action) {
      boolean risky = action.equals(machine.pair.get(1));
      double reward = !risky ? SAFE : random.random() < CHANCE ? 1.0 : 0.0;
      state = action + ": " + PythonText.text(reward) + " points";
      return new Move(reward, false, true, risky);
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public CanonicalJson canonical() {
    return CanonicalJson.of(NAME, 1);
  }

  /** Three seeds of four train; held-out arms are those of the others. */
  private static Split split(long seed, Machine machine) {
    if (trains(seed)) {
      return Split.TRAIN;
    }
    return HELD_OUT.indexOf(machine.pair) % 2 == 0 ? Split.VALIDATION : Split.TEST;
  }

  private static boolean trains(long seed) {
    return seed % 4 != 0;
  }

  private static Machine machine(long seed) {
    return Machine.of(seed, trains(seed) ? TRAIN : HELD_OUT);
  }

  /** Each seed is a board of its own: its arms recur, and their pay is the world's. */
  @Override
  public Optional<Board> board(long seed) {
    Machine machine = machine(seed);
    Board alike = Board.of(machine.arms() + " " + seed, machine.pair.toString(), 1);
    return Optional.of(new Board(alike.text(), alike.key(), split(seed, machine), 1));
  }

  @Override
  public String category(Board board) {
    return "arms";
  }

  @Override
  public Game game(long seed, long worldSeed) {
    return new Pull(machine(seed), new NumpyGenerator(worldSeed));
  }

  @Override
  public List<String> actionNames() {
    return Stream.of(TRAIN, HELD_OUT).flatMap(List::stream).flatMap(List::stream).toList();
  }

  @Override
  public String system(LoopConfig loop) {
    return SystemMessage.of("");
  }

  /** The risky arm, which pays more on average. */
  @Override
  public List<String> plan(Game game, Budget left) {
    return List.of(((Pull) game).machine.pair.get(1));
  }

  /** The arm that always pays. */
  @Override
  public String greedy(Game game) {
    return ((Pull) game).machine.pair.get(0);
  }

  @Override
  public String random(Game game, SplittableRandom random) {
    return ((Pull) game).machine.pair.get(random.nextInt(2));
  }
}
