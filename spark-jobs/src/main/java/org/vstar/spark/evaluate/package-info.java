/** How good policies are: all test tasks, intervals, failures, and a report to read. */
package org.vstar.spark.evaluate;
