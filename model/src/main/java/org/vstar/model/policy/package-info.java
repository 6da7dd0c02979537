/**
 * A policy: a transformer, its tokenizer and how it is sampled. Saved as {@code config.json},
 * {@code tokenizer.json} and {@code model.safetensors}.
 */
package org.vstar.model.policy;
