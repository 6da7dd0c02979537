/**
 * The jobs. The only place that knows Spark: {@code warmstart} makes the reference policy, {@code
 * vstar} measures tasks under it, {@code train} improves on it, {@code evaluate} shows by how much,
 * {@code sql} opens the tables to queries.
 */
package org.vstar.spark;
