package org.vstar.env.countdown;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.vstar.env.python.PythonRandom;

/**
 * Numbers, and what is to be made of all of them.
 *
 * @param numbers in the order in which they are shown
 * @param target what their sum is to be, each used once
 */
record Puzzle(List<Integer> numbers, int target) {

  private static final int FEWEST = 3;
  private static final int LARGEST_NUMBER = 99;
  private static final int LEAST_TARGET = 10;
  private static final int LARGEST_TARGET = 100;

  /** Python reads no more digits of a number. */
  private static final int MOST_DIGITS = 4300;

  /** The puzzle of a seed: addition and subtraction alone solve it. */
  static Puzzle of(long seed) {
    PythonRandom random = new PythonRandom(seed);
    while (true) {
      int count = FEWEST + random.below(2);
      List<Integer> numbers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        numbers.add(1 + random.below(LARGEST_NUMBER));
      }
      int target = numbers.get(0);
      for (int number : numbers.subList(1, count)) {
        target += random.below(2) == 0 ? number : -number;
      }
      if (target >= LEAST_TARGET && target <= LARGEST_TARGET) {
        return new Puzzle(List.copyOf(numbers), target);
      }
    }
  }

  /** What is shown. */
  String text() {
    return "Target: " + target + ", nums: " + numbers;
  }

  /** Equal for the same numbers in another order. */
  String alike() {
    return numbers.stream().sorted().map(String::valueOf).collect(Collectors.joining(","))
        + "="
        + target;
  }

  /** What an answer is worth. */
  Verdict judge(String answer) {
    if (!hasTheNumbers(answer)) {
      return Verdict.WRONG_NUMBERS;
    }
    Expression.Result result = Expression.of(answer);
    if (result.verdict() != null) {
      return result.verdict();
    }
    return result.value().isNear(BigInteger.valueOf(target)) ? Verdict.RIGHT : Verdict.WRONG_VALUE;
  }

  /** Whether the runs of digits, of any script, are the numbers, each once. */
  private boolean hasTheNumbers(String answer) {
    List<BigInteger> wanted = new ArrayList<>();
    numbers.forEach(number -> wanted.add(BigInteger.valueOf(number)));
    List<BigInteger> found = new ArrayList<>();
    StringBuilder run = new StringBuilder();
    int[] text = (answer + " ").codePoints().toArray();
    for (int c : text) {
      if (Character.isDigit(c)) {
        run.append(Character.digit(c, 10));
      } else if (run.length() > 0) {
        if (run.length() > MOST_DIGITS || found.size() == wanted.size()) {
          return false;
        }
        found.add(new BigInteger(run.toString()));
        run.setLength(0);
      }
    }
    Collections.sort(found);
    Collections.sort(wanted);
    return found.equals(wanted);
  }

  /** Sums that have the numbers in their order, all signs, the first plus. */
  List<String> sums() {
    List<String> sums = new ArrayList<>();
    int further = numbers.size() - 1;
    for (int signs = 0; signs < 1 << further; signs++) {
      StringBuilder sum = new StringBuilder().append(numbers.get(0));
      for (int i = 0; i < further; i++) {
        sum.append((signs >> i & 1) == 0 ? " + " : " - ").append(numbers.get(i + 1));
      }
      sums.add(sum.toString());
    }
    return sums;
  }
}
