/** How good policies are: all tasks of a held-out split, played by executors. */
package org.vstar.spark.evaluate;
