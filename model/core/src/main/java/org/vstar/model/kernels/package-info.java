/**
 * What engines compute on the host: products and functions of rows of float32 on the JDK's vector
 * instructions, and draws from logits. The order of every sum is fixed, so that all machines get
 * the same bits.
 */
package org.vstar.model.kernels;
