package org.vstar.env.ragen;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.vstar.common.InvalidInputException;
import org.vstar.env.Split;

/**
 * The seeds of each split.
 *
 * @param seeds with their boards, by split
 * @param looked how many seeds were looked at
 * @param refused how many of these no board came of
 */
record SeededTasks(Map<Split, List<Seeded>> seeds, long looked, long refused) {

  /** A seed and its board. */
  record Seeded(long seed, Board board) implements Serializable {}

  /** Of so many seeds on end none was new to a split: there are no more. */
  private static final long VAIN = 20_000;

  private static final long LARGEST = 0xffffffffL;

  /**
   * Looks at seeds from a base upward.
   *
   * @throws InvalidInputException if a split has not as many boards as it should have
   */
  static SeededTasks of(World world, SeedConfig config) {
    Map<Split, List<Seeded>> found = new EnumMap<>(Split.class);
    Map<Split, Integer> wanted =
        Map.of(
            Split.TRAIN, config.train(),
            Split.VALIDATION, config.validation(),
            Split.TEST, config.test());
    wanted.keySet().forEach(split -> found.put(split, new ArrayList<>()));
    Set<String> boards = new HashSet<>();
    long refused = 0;
    long lastNew = config.base();
    int missing = config.train() + config.validation() + config.test();
    long seed = config.base();
    for (; missing > 0; seed++) {
      requireMore(world, found, wanted, seed, lastNew);
      Optional<Board> board = world.board(seed);
      refused += board.isEmpty() ? 1 : 0;
      if (board.isEmpty() || !boards.add(board.get().text())) {
        continue;
      }
      List<Seeded> own = found.get(board.get().split());
      if (own.size() < wanted.get(board.get().split())) {
        own.add(new Seeded(seed, board.get()));
        missing--;
        lastNew = seed;
      }
    }
    return new SeededTasks(found, seed - config.base(), refused);
  }

  private static void requireMore(
      World world,
      Map<Split, List<Seeded>> found,
      Map<Split, Integer> wanted,
      long seed,
      long lastNew) {
    if (seed <= LARGEST && seed - lastNew <= VAIN) {
      return;
    }
    for (Split split : Split.values()) {
      if (found.get(split).size() < wanted.get(split)) {
        throw new InvalidInputException(
            String.format(
                Locale.ROOT,
                "environment.tasks.%s is %d, but %s has only %d different boards for it up to seed"
                    + " %d: ask for fewer",
                split.word(),
                wanted.get(split),
                world.name(),
                found.get(split).size(),
                seed));
      }
    }
  }
}
