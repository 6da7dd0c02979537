/** Rollouts on executors, for every job that needs some. */
package org.vstar.spark.rollout;
