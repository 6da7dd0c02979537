/** Policies as files: {@code config.json}, {@code tokenizer.json}, {@code model.safetensors}. */
package org.vstar.model.checkpoint;
