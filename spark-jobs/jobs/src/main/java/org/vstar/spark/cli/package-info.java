/** The commands that need no cluster: play a task, serve the shop, check a dataset. */
package org.vstar.spark.cli;
