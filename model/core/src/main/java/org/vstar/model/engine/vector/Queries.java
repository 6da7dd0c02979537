package org.vstar.model.engine.vector;

/**
 * Queries of one head, of tokens that look at their own sequence.
 *
 * @param rows the tokens that look
 * @param start the first of the sequence's tokens in this pass
 * @param n how many tokens it has in this pass
 * @param head which of the layer's heads
 * @param first the first of the rows that these queries are of
 * @param count how many rows they are of
 */
record Queries(Rows rows, int start, int n, int head, int first, int count) {

  /** The rows from one on that are of a sequence, at most so many. */
  static Queries of(Rows rows, int start, int n, int head, int first, int most) {
    int end = rows.firstFrom(start + n);
    return new Queries(rows, start, n, head, first, Math.min(most, end - first));
  }

  /** Which token query i is of. */
  int at(int i) {
    return rows.at()[first + i];
  }

  /** How many of the sequence's tokens in this pass query i sees. */
  int seen(int i) {
    return at(i) - start + 1;
  }

  /** How many of them the last query sees; there is one. */
  int seen() {
    return seen(count - 1);
  }

  /** Copies the queries, one behind the other. */
  void gather(float[] qkv, int width, int headWidth, float[] into) {
    for (int i = 0; i < count; i++) {
      System.arraycopy(qkv, at(i) * width + head * headWidth, into, i * headWidth, headWidth);
    }
  }
}
