package org.vstar.model.rollout;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Draw;
import org.vstar.model.engine.Generator.Extension;
import org.vstar.model.policy.BeamConfig;

/** Whole answers are searched for, those of all episodes side by side. */
final class BeamDecoding implements Decoding {

  private final BeamConfig config;
  private final int episodes;

  /** By the episode's slot. */
  private final Map<Integer, BeamSearch> searches = new HashMap<>();

  /**
   * Prepares the search.
   *
   * @param episodes how many run side by side
   */
  BeamDecoding(BeamConfig config, int episodes) {
    this.config = config;
    this.episodes = episodes;
  }

  @Override
  public int slots(int some) {
    return some * (1 + config.width());
  }

  private List<Integer> slotsOf(EpisodeRunner episode) {
    int first = episodes + episode.slot() * config.width();
    return IntStream.range(first, first + config.width()).boxed().toList();
  }

  @Override
  public List<List<Draw>> step(List<EpisodeRunner> live, Generator generator) {
    List<BeamSearch> own = new ArrayList<>();
    List<Extension> extensions = new ArrayList<>();
    List<BitSet> allowed = new ArrayList<>();
    for (EpisodeRunner episode : live) {
      BeamSearch search =
          searches.computeIfAbsent(
              episode.slot(), slot -> episode.search(config, slotsOf(episode)));
      own.add(search);
      extensions.addAll(search.pending());
      allowed.addAll(search.allowed());
    }
    List<List<Draw>> continuations = generator.continuations(extensions, allowed, config.width());
    List<List<Draw>> taken = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < own.size(); i++) {
      BeamSearch search = own.get(i);
      int to = from + search.pending().size();
      search.take(continuations.subList(from, to), generator);
      from = to;
      taken.add(search.answer().orElse(List.of()));
      if (!taken.get(i).isEmpty()) {
        searches.remove(live.get(i).slot());
      }
    }
    return taken;
  }
}
