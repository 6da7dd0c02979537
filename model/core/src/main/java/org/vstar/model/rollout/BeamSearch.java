package org.vstar.model.rollout;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.policy.BeamConfig;

/**
 * Searches one answer. At each token the likeliest continuations of all unfinished answers are
 * kept, as many as the search is wide; it is over when as many answers are finished, or none is
 * unfinished. The episode's own slot stays where the answer begins.
 */
final class BeamSearch {

  /**
   * An answer.
   *
   * @param draws its tokens, each with its ln π
   * @param logProbability Σ ln π
   * @param slot holds what comes before its last token
   */
  private record Beam(AnswerDraft draft, List<Draw> draws, double logProbability, int slot) {

    Beam goneOn(Draw draw) {
      AnswerDraft next = draft.copy();
      next.take(draw.token());
      List<Draw> all = new ArrayList<>(draws);
      all.add(draw);
      return new Beam(next, all, logProbability + draw.logProbability(), slot);
    }

    Beam in(int other) {
      return new Beam(draft, draws, logProbability, other);
    }
  }

  /** A way in which an answer may go on. */
  private record Candidate(Beam from, Draw next) {
    double logProbability() {
      return from.logProbability + next.logProbability();
    }
  }

  private final BeamConfig config;
  private final List<Integer> slots;
  private Extension opening;
  private List<Beam> unfinished;
  private Beam best;
  private int finished;

  /**
   * Begins a search.
   *
   * @param opening what the episode's own slot has not seen yet
   * @param slots of the search alone, as many as it is wide
   */
  BeamSearch(BeamConfig config, Extension opening, AnswerDraft draft, List<Integer> slots) {
    this.config = config;
    this.slots = slots;
    this.opening = opening;
    this.unfinished = List.of(new Beam(draft, List.of(), 0, opening.slot()));
  }

  /** What is to be appended, for each unfinished answer. */
  List<Extension> pending() {
    return opening != null
        ? List.of(opening)
        : unfinished.stream()
            .map(
                beam ->
                    new Extension(
                        beam.slot, new int[] {beam.draws.get(beam.draws.size() - 1).token()}))
            .toList();
  }

  /** What each can go on with; null for the whole vocabulary. */
  List<BitSet> allowed() {
    List<BitSet> allowed = new ArrayList<>();
    unfinished.forEach(beam -> allowed.add(beam.draft.allowed()));
    return allowed;
  }

  /**
   * Goes on by a token.
   *
   * @param continuations of each unfinished answer, the likeliest first
   */
  void take(List<List<Draw>> continuations, Generator generator) {
    opening = null;
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < continuations.size(); i++) {
      for (Draw next : continuations.get(i)) {
        candidates.add(new Candidate(unfinished.get(i), next));
      }
    }
    // Stable: of equals the one of the better answer stays.
    candidates.sort(Comparator.comparingDouble(candidate -> -candidate.logProbability()));
    List<Beam> going = new ArrayList<>();
    for (Candidate candidate : candidates.subList(0, Math.min(config.width(), candidates.size()))) {
      Beam next = candidate.from.goneOn(candidate.next);
      if (next.draft.isOver()) {
        finish(next);
      } else if (going.isEmpty()
          || next.logProbability >= going.get(0).logProbability - config.margin()) {
        going.add(next);
      }
    }
    unfinished = finished >= config.width() ? List.of() : inSlotsOfTheirOwn(going, generator);
  }

  private void finish(Beam beam) {
    finished++;
    if (best == null || score(beam) > score(best)) {
      best = beam;
    }
  }

  private double score(Beam beam) {
    return config.score(beam.logProbability, beam.draws.size());
  }

  /** Answers that came of one keep its slot or get a copy of it. */
  private List<Beam> inSlotsOfTheirOwn(List<Beam> going, Generator generator) {
    Set<Integer> needed = new HashSet<>();
    going.forEach(beam -> needed.add(beam.slot));
    List<Integer> free = new ArrayList<>(slots);
    free.removeAll(needed);
    Set<Integer> taken = new HashSet<>();
    List<Beam> placed = new ArrayList<>();
    for (Beam beam : going) {
      if (slots.contains(beam.slot) && taken.add(beam.slot)) {
        placed.add(beam);
      } else {
        int slot = free.remove(free.size() - 1);
        generator.copy(beam.slot, slot);
        placed.add(beam.in(slot));
      }
    }
    return placed;
  }

  /** The best answer if the search is over. */
  Optional<List<Draw>> answer() {
    return unfinished.isEmpty() ? Optional.of(best.draws) : Optional.empty();
  }
}
