/**
 * The model on LibTorch, PyTorch's C++ library: on a GPU, or on the CPU with its kernels.
 *
 * <p>Native memory is freed by scopes: whatever a call makes is gone when it returns, but for what
 * it keeps with {@code retainReference}.
 */
package org.vstar.model.engine.libtorch;
