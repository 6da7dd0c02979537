package org.vstar.env.python;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * How alike two texts are, 0 to 100, by thefuzz's {@code token_set_ratio} over Python's {@code
 * difflib}: what WebShop's reward compares attributes and options with.
 */
public final class TokenSetRatio {

  /** From this length on, difflib takes frequent characters for noise. */
  private static final int NOISE_FROM = 200;

  private static final int FULL = 100;

  private TokenSetRatio() {}

  public static int of(String a, String b) {
    String one = process(a);
    String two = process(b);
    if (one.isEmpty() || two.isEmpty()) {
      return 0;
    }
    TreeSet<String> common = tokens(one);
    TreeSet<String> rest1 = tokens(one);
    TreeSet<String> rest2 = tokens(two);
    common.retainAll(rest2);
    rest1.removeAll(common);
    rest2.removeAll(common);
    String sect = String.join(" ", common);
    String with1 = (sect + " " + String.join(" ", rest1)).strip();
    String with2 = (sect + " " + String.join(" ", rest2)).strip();
    return Math.max(ratio(sect, with1), Math.max(ratio(sect, with2), ratio(with1, with2)));
  }

  private static TreeSet<String> tokens(String text) {
    return new TreeSet<>(List.of(text.split(" +")));
  }

  /** Letters, digits and underscores, lower case; the rest is space, and Latin-1 is dropped. */
  private static String process(String text) {
    StringBuilder plain = new StringBuilder();
    text.codePoints()
        .filter(c -> c < 0x80 || c > 0xff)
        .forEach(c -> plain.appendCodePoint(isWord(c) ? c : ' '));
    return PythonText.lower(plain.toString()).strip();
  }

  private static boolean isWord(int c) {
    int type = Character.getType(c);
    return Character.isLetterOrDigit(c)
        || c == '_'
        || type == Character.LETTER_NUMBER
        || type == Character.OTHER_NUMBER;
  }

  private static int ratio(String a, String b) {
    if (a.equals(b)) {
      return FULL;
    }
    if (a.isEmpty() || b.isEmpty()) {
      return 0;
    }
    int[] x = a.codePoints().toArray();
    int[] y = b.codePoints().toArray();
    return (int) Math.rint(FULL * (2.0 * matches(x, y) / (x.length + y.length)));
  }

  private record Span(int aFrom, int aTo, int bFrom, int bTo) {}

  /** The total length of difflib's matching blocks. */
  private static int matches(int[] a, int[] b) {
    Map<Integer, List<Integer>> places = places(b);
    Deque<Span> open = new ArrayDeque<>(List.of(new Span(0, a.length, 0, b.length)));
    int total = 0;
    while (!open.isEmpty()) {
      Span s = open.pop();
      Span m = longest(a, b, places, s);
      int size = m.aTo - m.aFrom;
      if (size > 0) {
        total += size;
        if (s.aFrom < m.aFrom && s.bFrom < m.bFrom) {
          open.push(new Span(s.aFrom, m.aFrom, s.bFrom, m.bFrom));
        }
        if (m.aTo < s.aTo && m.bTo < s.bTo) {
          open.push(new Span(m.aTo, s.aTo, m.bTo, s.bTo));
        }
      }
    }
    return total;
  }

  private static Map<Integer, List<Integer>> places(int[] b) {
    Map<Integer, List<Integer>> places = new HashMap<>();
    for (int j = 0; j < b.length; j++) {
      places.computeIfAbsent(b[j], c -> new ArrayList<>()).add(j);
    }
    if (b.length >= NOISE_FROM) {
      int maxCount = b.length / FULL + 1;
      places.values().removeIf(p -> p.size() > maxCount);
    }
    return places;
  }

  /** The longest block; among equals the first in a, then in b. */
  private static Span longest(int[] a, int[] b, Map<Integer, List<Integer>> places, Span s) {
    int bestA = s.aFrom;
    int bestB = s.bFrom;
    int size = 0;
    Map<Integer, Integer> lengths = Map.of();
    for (int i = s.aFrom; i < s.aTo; i++) {
      Map<Integer, Integer> next = new HashMap<>();
      for (int j : places.getOrDefault(a[i], List.of())) {
        if (j >= s.bFrom && j < s.bTo) {
          int k = lengths.getOrDefault(j - 1, 0) + 1;
          next.put(j, k);
          if (k > size) {
            bestA = i - k + 1;
            bestB = j - k + 1;
            size = k;
          }
        }
      }
      lengths = next;
    }
    while (bestA > s.aFrom && bestB > s.bFrom && a[bestA - 1] == b[bestB - 1]) {
      bestA--;
      bestB--;
      size++;
    }
    while (bestA + size < s.aTo && bestB + size < s.bTo && a[bestA + size] == b[bestB + size]) {
      size++;
    }
    return new Span(bestA, bestA + size, bestB, bestB + size);
  }
}
