package org.vstar.model.tokenizer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/** Which pairs of symbols byte-pair encoding merges: again and again the most frequent one. */
final class BytePairMerges {

  private static final Comparator<Candidate> MOST_FREQUENT =
      Comparator.comparingLong(Candidate::count).reversed().thenComparingLong(Candidate::pair);

  /** A pair, with its count when it was put into the queue. */
  private record Candidate(long pair, long count) {}

  private final List<int[]> words = new ArrayList<>();
  private final List<Integer> frequencies = new ArrayList<>();
  private final Map<Long, Long> counts = new HashMap<>();

  /** Words in which a pair is, or was. */
  private final Map<Long, Set<Integer>> places = new HashMap<>();

  private final PriorityQueue<Candidate> queue = new PriorityQueue<>(MOST_FREQUENT);
  private int symbols;

  /**
   * Takes words.
   *
   * @param frequencies how often each word is there; its characters are symbols
   * @param symbols one more than the largest character
   */
  BytePairMerges(Map<String, Integer> frequencies, int symbols) {
    this.symbols = symbols;
    frequencies.forEach(
        (word, frequency) -> {
          this.words.add(word.chars().toArray());
          this.frequencies.add(frequency);
        });
    Set<Long> changed = new HashSet<>();
    for (int word = 0; word < words.size(); word++) {
      count(word, 1, changed);
    }
    offer(changed);
  }

  private static long pair(int left, int right) {
    return (long) left << Integer.SIZE | right;
  }

  /** Adds the pairs of a word to the counts, or takes them away. */
  private void count(int word, int sign, Set<Long> changed) {
    int[] own = words.get(word);
    for (int i = 0; i + 1 < own.length; i++) {
      long pair = pair(own[i], own[i + 1]);
      counts.merge(pair, (long) sign * frequencies.get(word), Long::sum);
      places.computeIfAbsent(pair, p -> new HashSet<>()).add(word);
      changed.add(pair);
    }
  }

  private void offer(Set<Long> changed) {
    for (long pair : changed) {
      long count = counts.get(pair);
      if (count > 1) {
        queue.add(new Candidate(pair, count));
      }
    }
  }

  /**
   * Merges.
   *
   * @param most how many merges; fewer if no pair is there twice
   * @return the pairs in order; the i-th becomes symbol {@code symbols + i}
   */
  List<int[]> learn(int most) {
    List<int[]> merges = new ArrayList<>();
    while (merges.size() < most && !queue.isEmpty()) {
      Candidate best = queue.poll();
      // What changed since it was offered has been offered again.
      if (counts.get(best.pair) == best.count) {
        int left = (int) (best.pair >> Integer.SIZE);
        int right = (int) best.pair;
        merge(left, right);
        merges.add(new int[] {left, right});
      }
    }
    return merges;
  }

  private void merge(int left, int right) {
    int merged = symbols++;
    Set<Long> changed = new HashSet<>();
    for (int word : List.copyOf(places.get(pair(left, right)))) {
      count(word, -1, changed);
      words.set(word, merged(words.get(word), left, right, merged));
      count(word, 1, changed);
    }
    offer(changed);
  }

  private static int[] merged(int[] word, int left, int right, int merged) {
    int[] shorter = new int[word.length];
    int length = 0;
    for (int i = 0; i < word.length; i++) {
      boolean here = i + 1 < word.length && word[i] == left && word[i + 1] == right;
      shorter[length++] = here ? merged : word[i];
      i += here ? 1 : 0;
    }
    return Arrays.copyOf(shorter, length);
  }
}
