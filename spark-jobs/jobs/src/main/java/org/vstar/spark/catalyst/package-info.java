/**
 * What Spark's query planner takes, made so that it compiles for Spark 3.5 (Scala 2.12) and Spark 4
 * (Scala 2.13). What cannot be is in a source folder for each version of Scala.
 */
package org.vstar.spark.catalyst;
