/** From the words that a person types to the command line of Spark that does it. */
package org.vstar.spark.launch;
