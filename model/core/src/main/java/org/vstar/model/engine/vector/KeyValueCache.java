package org.vstar.model.engine.vector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.kernels.Panels;
import org.vstar.model.weights.ParameterLayout;

/**
 * The keys and values of one growing sequence, in blocks of as many positions as a panel has
 * columns: in a block, a head's keys are one panel, and so are its values. Sequences that begin
 * with the same tokens share the blocks that these fill.
 */
final class KeyValueCache {

  /** Positions of a block. */
  static final int BLOCK = Panels.COLUMNS;

  /** Keys and values of each layer. */
  private record Block(float[][] keys, float[][] values) {}

  private final ModelConfig c;
  private final ParameterLayout layout;
  private final float scale;
  private final List<Block> blocks = new ArrayList<>();
  private int[] tokens = new int[0];
  private int length;

  /**
   * Makes an empty one.
   *
   * @param scale what keys are multiplied with
   */
  KeyValueCache(ModelConfig c, ParameterLayout layout, float scale) {
    this.c = c;
    this.layout = layout;
    this.scale = scale;
  }

  /**
   * Numbers that the keys and values of one position take. Values of a head that is narrower than a
   * panel take a whole one, so this depends on how wide the processor's vectors are.
   */
  static long floatsOfToken(ModelConfig c, ParameterLayout layout) {
    int dh = layout.headWidth();
    return (long) c.layers()
        * c.kvHeads()
        * (Panels.size(dh, BLOCK) + Panels.size(BLOCK, dh))
        / BLOCK;
  }

  /** Positions that all layers have. */
  int length() {
    return length;
  }

  /** Numbers in its blocks, those that it shares too. */
  long floats() {
    long floats = 0;
    for (Block block : blocks) {
      for (int layer = 0; layer < block.keys.length; layer++) {
        floats += block.keys[layer].length + block.values[layer].length;
      }
    }
    return floats;
  }

  void clear() {
    blocks.clear();
    length = 0;
  }

  /** How many of some tokens, all but the last at most, fill blocks that this one has. */
  int common(int[] others) {
    int end = Math.min(length, others.length - 1) / BLOCK * BLOCK;
    int differs = Arrays.mismatch(tokens, 0, end, others, 0, end);
    return (differs < 0 ? end : differs) / BLOCK * BLOCK;
  }

  /** Takes the first positions, which fill blocks, from another; this one is empty. */
  void share(KeyValueCache other, int positions) {
    blocks.clear();
    blocks.addAll(other.blocks.subList(0, positions / BLOCK));
    tokens = Arrays.copyOf(other.tokens, positions);
    length = positions;
  }

  /** Takes what another holds: shares the blocks that it fills, and copies the last. */
  void copy(KeyValueCache other) {
    share(other, other.length / BLOCK * BLOCK);
    if (length < other.length) {
      Block last = other.blocks.get(other.length / BLOCK);
      blocks.add(new Block(copy(last.keys), copy(last.values)));
    }
    tokens = Arrays.copyOf(other.tokens, other.length);
    length = other.length;
  }

  private static float[][] copy(float[][] layers) {
    return Arrays.stream(layers).map(float[]::clone).toArray(float[][]::new);
  }

  /** Puts the keys and values of n tokens behind those that a layer has. */
  void append(int layer, float[] qkv, int at, int n) {
    for (int i = 0; i < n; i++) {
      int position = length + i;
      if (position / BLOCK == blocks.size()) {
        blocks.add(block());
      }
      Block block = blocks.get(position / BLOCK);
      append(block, layer, qkv, (at + i) * layout.qkvWidth(), position % BLOCK);
    }
  }

  private Block block() {
    int dh = layout.headWidth();
    return new Block(
        new float[c.layers()][c.kvHeads() * Panels.size(dh, BLOCK)],
        new float[c.layers()][c.kvHeads() * Panels.size(BLOCK, dh)]);
  }

  private void append(Block block, int layer, float[] qkv, int row, int column) {
    int dh = layout.headWidth();
    int kv = layout.kvWidth();
    float[] keys = block.keys[layer];
    int key = row + layout.queryWidth();
    for (int d = 0; d < kv; d++) {
      keys[d * BLOCK + column] = qkv[key + d] * scale;
    }
    for (int h = 0; h < c.kvHeads(); h++) {
      Panels values = values(block, layer, h);
      for (int j = 0; j < dh; j += BLOCK) {
        int from = key + kv + h * dh + j;
        System.arraycopy(qkv, from, values.data(), values.at(j, column), Math.min(BLOCK, dh - j));
      }
    }
  }

  /** Behind the last {@link #append} of a step: tokens whose keys and values all layers have. */
  void appended(int[] more) {
    if (tokens.length < length + more.length) {
      tokens = Arrays.copyOf(tokens, 2 * (length + more.length));
    }
    System.arraycopy(more, 0, tokens, length, more.length);
    length += more.length;
  }

  /** The keys of a head in a block, head width × positions. */
  Panels keys(int block, int layer, int head) {
    int dh = layout.headWidth();
    return new Panels(blocks.get(block).keys[layer], head * Panels.size(dh, BLOCK), dh);
  }

  /** The values of a head in a block, positions × head width. */
  Panels values(int block, int layer, int head) {
    return values(blocks.get(block), layer, head);
  }

  private Panels values(Block block, int layer, int head) {
    return new Panels(block.values[layer], head * Panels.size(BLOCK, layout.headWidth()), BLOCK);
  }
}
