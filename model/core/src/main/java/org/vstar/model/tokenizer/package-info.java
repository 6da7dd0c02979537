/** Text to token ids and back, in Hugging Face's {@code tokenizer.json} format. */
package org.vstar.model.tokenizer;
