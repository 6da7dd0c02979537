/**
 * A decoder-only transformer of the Llama/Qwen2 shape: RMSNorm, rotary positions, grouped-query
 * attention, SwiGLU, tied embeddings. {@link org.vstar.model.transformer.Transformer} is the
 * forward pass, {@link org.vstar.model.transformer.Scorer} gives log-probabilities and their
 * gradient, {@link org.vstar.model.transformer.Decoder} samples with a key-value cache.
 */
package org.vstar.model.transformer;
