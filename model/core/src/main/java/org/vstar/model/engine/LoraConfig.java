package org.vstar.model.engine;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.vstar.common.CanonicalJson;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Seeds;
import org.vstar.model.engine.ModelTensors.Projection;
import org.vstar.model.engine.TensorSource.Tensor;

/**
 * Low-rank adapters (LoRA, arXiv 2106.09685): a projection W becomes W + alpha / rank · B·A, and
 * only A (rank × inputs) and B (outputs × rank) are trained. There is no dropout.
 *
 * @param rank rank of the update B·A
 * @param alpha its size; PEFT's {@code lora_alpha}
 * @param targets which projections, by PEFT's names: q_proj, k_proj, v_proj, o_proj, gate_proj,
 *     up_proj, down_proj
 */
public record LoraConfig(int rank, double alpha, List<String> targets) implements Serializable {

  private static final int LARGEST_RANK = 4096;
  private static final String UP = ".lora_B.weight";

  /** Checks the ranges. */
  public LoraConfig {
    InvalidInputException.require(
        rank > 0 && rank <= LARGEST_RANK, "lora.rank", rank, "1 to " + LARGEST_RANK);
    InvalidInputException.require(alpha > 0, "lora.alpha", alpha, "more than 0");
    targets = List.copyOf(new LinkedHashSet<>(targets));
    List<String> known = Arrays.stream(Projection.values()).map(Projection::shortName).toList();
    InvalidInputException.require(
        !targets.isEmpty() && known.containsAll(targets),
        "lora.targets",
        targets,
        "some of " + known);
  }

  /** What B·A is multiplied with. */
  public double scale() {
    return alpha / rank;
  }

  /** Whether a projection is adapted. */
  public boolean adapts(Projection projection) {
    return targets.contains(projection.shortName());
  }

  /** The name of a projection's A, rank × inputs. */
  public static String down(Projection projection, int layer) {
    return projection.module(layer) + ".lora_A.weight";
  }

  /** The name of a projection's B, outputs × rank. */
  public static String up(Projection projection, int layer) {
    return projection.module(layer) + UP;
  }

  /** Whether a tensor of an adapter is a B, which is multiplied with last. */
  static boolean isUp(Tensor tensor) {
    return tensor.name().endsWith(UP);
  }

  /** All of an adapter's tensors, in a fixed order. */
  public List<Tensor> tensors(ModelConfig c) {
    List<Tensor> tensors = new ArrayList<>();
    for (int l = 0; l < c.layers(); l++) {
      for (Projection p : Projection.values()) {
        if (adapts(p)) {
          tensors.add(new Tensor(down(p, l), rank, p.inputs(c)));
          tensors.add(new Tensor(up(p, l), p.outputs(c), rank));
        }
      }
    }
    return tensors;
  }

  /** The adapted projection that a weight is of, with its layer. */
  public record Place(Projection projection, int layer) {}

  /** Which adapted projection has this weight, if one has. */
  public Optional<Place> placeOf(Tensor weight, ModelConfig c) {
    for (int l = 0; l < c.layers(); l++) {
      for (Projection p : Projection.values()) {
        if (adapts(p) && p.weight(l).equals(weight.name())) {
          return Optional.of(new Place(p, l));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * An adapter that adds nothing yet, as PEFT starts one: A uniform in ± 1 / √inputs, B zero.
   *
   * @param seed of A
   */
  public TensorSource initial(ModelConfig c, long seed) {
    return new Initial(this, c, seed);
  }

  private record Initial(LoraConfig lora, ModelConfig c, long seed) implements TensorSource {
    @Override
    public List<Tensor> tensors() {
      return lora.tensors(c);
    }

    @Override
    public void read(Tensor tensor, float[] into, int offset) {
      int place = tensors().indexOf(tensor);
      if (place < 0) {
        throw new InvalidInputException("the adapter has no " + tensor);
      }
      boolean down = place % 2 == 0;
      double bound = 1 / Math.sqrt(tensor.columns());
      SplittableRandom random = Seeds.random(seed, "adapter", tensor.name());
      for (int i = offset; i < offset + tensor.size(); i++) {
        into[i] = down ? (float) (bound * (2 * random.nextDouble() - 1)) : 0;
      }
    }
  }

  /**
   * Refuses tensors that are not those of an adapter of this config.
   *
   * @throws InvalidInputException naming one that is missing, or too many
   */
  public void requireAll(ModelConfig c, TensorSource source) {
    Set<Tensor> expected = new LinkedHashSet<>(tensors(c));
    for (Tensor tensor : expected) {
      if (!source.tensors().contains(tensor)) {
        throw new InvalidInputException(
            "the adapter has no " + tensor + ", which its config and the model's ask for");
      }
    }
    for (Tensor tensor : source.tensors()) {
      if (!expected.contains(tensor)) {
        throw new InvalidInputException(
            "the adapter has " + tensor + ", which its config and the model's do not ask for");
      }
    }
  }

  /** What a fingerprint is taken of. */
  public CanonicalJson canonical() {
    return CanonicalJson.of("lora", 1)
        .with("rank", rank)
        .with("alpha", alpha)
        .with("targets", targets.stream().sorted().toList());
  }
}
