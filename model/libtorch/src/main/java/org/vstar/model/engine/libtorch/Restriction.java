package org.vstar.model.engine.libtorch;

import java.util.BitSet;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** What may be chosen, as a mask. */
final class Restriction {

  private Restriction() {}

  /**
   * What may not be chosen, rows × vocabulary.
   *
   * @param allowed of each row, null for everything
   * @return null if every row may choose everything
   */
  static Tensor forbidden(BitSet[] allowed, int vocabulary, String device) {
    boolean any = false;
    byte[] forbidden = new byte[0];
    for (int r = 0; r < allowed.length; r++) {
      if (allowed[r] != null) {
        forbidden = any ? forbidden : new byte[Math.multiplyExact(allowed.length, vocabulary)];
        any = true;
        int i = allowed[r].nextClearBit(0);
        for (; i < vocabulary; i = allowed[r].nextClearBit(i + 1)) {
          forbidden[r * vocabulary + i] = 1;
        }
      }
    }
    return any
        ? Tensor.create(forbidden, allowed.length, vocabulary)
            .to(new Device(device), ScalarType.Bool)
        : null;
  }
}
