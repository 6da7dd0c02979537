/**
 * Tasks, environments and the agents that act in them. Plain Java: neither Spark nor tensors are
 * known here. {@link org.vstar.env.Environment} is the door; everything else is the data that
 * passes through it.
 */
package org.vstar.env;
