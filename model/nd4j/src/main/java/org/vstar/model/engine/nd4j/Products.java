package org.vstar.model.engine.nd4j;

import org.nd4j.linalg.api.blas.params.MMulTranspose;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.reduce.Mmul;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Matrix products into row-major results: {@code INDArray.mmul} gives column-major ones, and loses
 * several times the product's own time to copies between the two.
 */
final class Products {

  private Products() {}

  /** a·b; of three-dimensional arrays matrix by matrix. */
  static INDArray product(INDArray a, INDArray b) {
    return product(a, false, b, false);
  }

  /** aᵀ·b. */
  static INDArray transposedProduct(INDArray a, INDArray b) {
    return product(a, true, b, false);
  }

  /** a·bᵀ. */
  static INDArray productTransposed(INDArray a, INDArray b) {
    return product(a, false, b, true);
  }

  private static INDArray product(INDArray a, boolean turnA, INDArray b, boolean turnB) {
    int rank = a.rank();
    long[] shape = a.shape().clone();
    shape[rank - 2] = a.size(turnA ? rank - 1 : rank - 2);
    shape[rank - 1] = b.size(turnB ? rank - 2 : rank - 1);
    INDArray out = Nd4j.createUninitialized(DataType.FLOAT, shape, 'c');
    MMulTranspose turn =
        MMulTranspose.builder().transposeA(turnA).transposeB(turnB).transposeResult(false).build();
    Nd4j.exec(new Mmul(a, b, out, turn));
    return out;
  }
}
