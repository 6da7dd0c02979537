/**
 * Tasks, environments and the agents that act in them: the interfaces only. Neither Spark nor
 * tensors are known here. {@link org.vstar.env.Environment} is the door; the rest is what passes
 * through it.
 */
package org.vstar.env;
