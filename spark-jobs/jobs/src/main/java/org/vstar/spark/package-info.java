/**
 * The only module that knows Spark. Each job has a room of its own: {@code warmstart} makes the
 * reference policy, {@code value} measures tasks under it, {@code train} improves on it, {@code
 * evaluate} shows by how much. No job knows another; what they share is in {@code run}, {@code
 * table} and {@code rollout}.
 */
package org.vstar.spark;
