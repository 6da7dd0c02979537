/**
 * A decoder-only transformer of the Llama/Qwen2 shape on the CPU: RMSNorm, rotary positions,
 * grouped-query attention, SwiGLU, tied embeddings. {@link
 * org.vstar.model.engine.vector.Transformer} is the forward pass, {@link
 * org.vstar.model.engine.vector.MicroBatchScorer} gives log-probabilities and their gradient,
 * {@link org.vstar.model.engine.vector.Decoder} grows sequences with a key-value cache.
 */
package org.vstar.model.engine.vector;
