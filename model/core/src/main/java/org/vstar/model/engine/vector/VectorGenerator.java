package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.vstar.model.engine.Generator;
import org.vstar.model.kernels.Sampler;

/** Draws from a {@link Decoder}. */
final class VectorGenerator implements Generator {

  private final Decoder decoder;
  private final int vocabulary;

  VectorGenerator(Transformer transformer, int slots) {
    this.decoder = new Decoder(transformer, slots);
    this.vocabulary = transformer.vocabulary();
  }

  @Override
  public void reset(int slot) {
    decoder.reset(slot);
  }

  @Override
  public List<Draw> extend(List<Extension> extensions, List<Choice> choices) {
    float[] logits = decoder.extend(extensions);
    List<Draw> draws = new ArrayList<>();
    for (int row = 0; row < extensions.size(); row++) {
      draws.add(Sampler.draw(logits, row, vocabulary, choices.get(row)));
    }
    return draws;
  }

  @Override
  public List<List<Draw>> continuations(
      List<Extension> extensions, List<BitSet> allowed, int count) {
    float[] logits = decoder.extend(extensions);
    List<List<Draw>> likeliest = new ArrayList<>();
    for (int row = 0; row < extensions.size(); row++) {
      likeliest.add(Sampler.likeliest(logits, row, vocabulary, allowed.get(row), count));
    }
    return likeliest;
  }

  @Override
  public void copy(int from, int to) {
    decoder.copy(from, to);
  }

  @Override
  public void close() {
    // The cache is the garbage collector's.
  }
}
