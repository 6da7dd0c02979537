/**
 * Models of llama.cpp's file format, made into folders of Hugging Face's layout. Format: the GGUF
 * specification, version 3 (github.com/ggml-org/ggml/blob/master/docs/gguf.md).
 */
package org.vstar.model.gguf;
