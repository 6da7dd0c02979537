package org.vstar.model.engine.libtorch;

import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.vstar.model.engine.ModelConfig;
import org.vstar.model.engine.ModelTensors;
import org.vstar.model.engine.ModelTensors.Projection;

/**
 * The forward pass, in PyTorch's terms: a batch of B sequences of T tokens is B × T × width. It
 * runs over whatever parameters it is given, so that they can be those that are sampled from or the
 * inputs of a derivative.
 */
record TorchTransformer(ModelConfig c) {

  /** Where a pass takes its parameters from. */
  interface Source {
    Tensor get(String name);

    /** A projection of a layer: x·Wᵀ + b, and what an adapter adds to it. */
    Tensor project(Tensor x, Projection projection, int layer);
  }

  /**
   * How tokens look at one another; queries are B × heads × T × headWidth, keys have fewer heads.
   */
  interface Attention {
    Tensor attend(int layer, Tensor queries, Tensor keys, Tensor values);
  }

  /**
   * Cosines and sines of each token's place, T × headWidth, or B × 1 × T × headWidth.
   *
   * @param sin negative in the first half, so that a head (x₁, x₂) is turned by rolling it: (x₂,
   *     x₁) · sin
   */
  record Rotation(Tensor cos, Tensor sin) {
    Tensor of(Tensor x) {
      Tensor exact = x.to(ScalarType.Float);
      Tensor rolled = exact.roll(new long[] {x.size(-1) / 2}, -1);
      return exact.mul(cos).add(rolled.mul(sin)).to(x.scalar_type());
    }
  }

  Tensor embed(Source source, Tensor ids) {
    return torch.embedding(source.get(ModelTensors.EMBEDDING), ids);
  }

  private Tensor norm(Tensor x, Tensor gain) {
    return torch.rms_norm(
        x, new long[] {x.size(-1)}, new TensorOptional(gain), new DoubleOptional(c.normEpsilon()));
  }

  /** One block; x is B × T × width. */
  Tensor block(int l, Source source, Tensor x, Rotation rotation, Attention attention) {
    Tensor normed = norm(x, source.get(ModelTensors.attentionNorm(l)));
    Tensor queries = heads(source.project(normed, Projection.QUERY, l));
    Tensor keys = heads(source.project(normed, Projection.KEY, l));
    Tensor values = heads(source.project(normed, Projection.VALUE, l));
    if (c.headNorm()) {
      queries = norm(queries, source.get(ModelTensors.queryNorm(l)));
      keys = norm(keys, source.get(ModelTensors.keyNorm(l)));
    }
    Tensor turned = rotation.of(torch.cat(new TensorVector(queries, keys), 1));
    Tensor attended =
        attention
            .attend(
                l, turned.narrow(1, 0, c.heads()), turned.narrow(1, c.heads(), c.kvHeads()), values)
            .transpose(1, 2);
    Tensor flat = attended.reshape(x.size(0), x.size(1), c.queryWidth());
    Tensor middle = x.add(source.project(flat, Projection.OUTPUT, l));
    Tensor inner = norm(middle, source.get(ModelTensors.feedForwardNorm(l)));
    Tensor gate = torch.silu(source.project(inner, Projection.GATE, l));
    Tensor up = source.project(inner, Projection.UP, l);
    return middle.add(source.project(gate.mul(up), Projection.DOWN, l));
  }

  /**
   * All blocks, where nothing is kept for a gradient: x and what a block made on the way are freed.
   */
  Tensor blocks(Source source, Tensor x, Rotation rotation, Attention attention) {
    Tensor last = x;
    for (int l = 0; l < c.layers(); l++) {
      Tensor before = last;
      int layer = l;
      last = LibTorch.kept(() -> block(layer, source, before, rotation, attention));
      before.close();
    }
    return last;
  }

  /** B × T × heads·headWidth to B × heads × T × headWidth. */
  private Tensor heads(Tensor x) {
    return x.view(x.size(0), x.size(1), -1, c.headWidth()).transpose(1, 2);
  }

  /**
   * Attention of whole sequences that begin with their first token. On a processor LibTorch's
   * kernel that keeps no T × T scores wants as many heads of keys as of queries.
   */
  Tensor causal(Tensor queries, Tensor keys, Tensor values) {
    boolean repeat = !queries.is_cuda() && c.heads() != c.kvHeads();
    return attention(
        queries,
        repeat ? repeated(keys) : keys,
        repeat ? repeated(values) : values,
        new TensorOptional(),
        true);
  }

  /** Each head of keys as often as it has heads of queries. */
  private Tensor repeated(Tensor x) {
    long[] sides = {x.size(0), x.size(1), c.heads() / c.kvHeads(), x.size(2), x.size(3)};
    return x.unsqueeze(2).expand(sides).reshape(x.size(0), c.heads(), x.size(2), x.size(3));
  }

  /**
   * Attention to the keys that a mask allows. Heads that share their keys are one head with more
   * queries, for which LibTorch has a faster kernel.
   *
   * @param mask is added to scores, B × 1 × T, or times the heads that share keys, × keys
   */
  Tensor masked(Tensor queries, Tensor keys, Tensor values, Tensor mask) {
    Tensor shared = queries.reshape(queries.size(0), c.kvHeads(), -1, c.headWidth());
    return attention(shared, keys, values, new TensorOptional(mask), false)
        .reshape(queries.size(0), c.heads(), -1, c.headWidth());
  }

  private Tensor attention(
      Tensor queries, Tensor keys, Tensor values, TensorOptional mask, boolean causal) {
    return torch.scaled_dot_product_attention(
        queries,
        keys,
        values,
        mask,
        0.0,
        causal,
        new DoubleOptional(),
        queries.size(1) != keys.size(1));
  }

  /** The final norm of rows. */
  Tensor finalNorm(Source source, Tensor rows) {
    return norm(rows, source.get(ModelTensors.FINAL_NORM));
  }

  /** Logits of final-normed rows, as float32. */
  Tensor logits(Source source, Tensor rows) {
    return torch.linear(rows, head(source)).to(ScalarType.Float);
  }

  /** What logits are made with, vocabulary × width. */
  Tensor head(Source source) {
    return source.get(c.tied() ? ModelTensors.EMBEDDING : ModelTensors.HEAD);
  }
}
