package org.vstar.model.rollout;

import java.util.List;
import org.vstar.model.engine.Generator;
import org.vstar.model.engine.Generator.Draw;

/** How the tokens of episodes that run side by side come about. One per thread. */
interface Decoding {

  /** How many slots of a generator so many episodes need; theirs are the first. */
  int slots(int episodes);

  /**
   * Goes on by a token.
   *
   * @param live whose slots have seen all but what is pending
   * @return for each episode the tokens that it takes; none as long as they are not decided
   */
  List<List<Draw>> step(List<EpisodeRunner> live, Generator generator);

  /** Each token is drawn as the episode's sampling says. */
  static Decoding sampling() {
    return new Decoding() {
      @Override
      public int slots(int episodes) {
        return episodes;
      }

      @Override
      public List<List<Draw>> step(List<EpisodeRunner> live, Generator generator) {
        return generator
            .extend(
                live.stream().map(EpisodeRunner::pending).toList(),
                live.stream().map(EpisodeRunner::choice).toList())
            .stream()
            .map(List::of)
            .toList();
      }
    };
  }
}
