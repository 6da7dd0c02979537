/**
 * What Spark's query planner takes, without Scala's collections, whose types differ between Scala
 * 2.12 (Spark 3.5) and 2.13 (Spark 4). The classes that name them are in a source folder for each.
 */
package org.vstar.spark.catalyst;
