/** The reference policy: imitation of a demonstrator through DeepLearning4J on Spark. */
package org.vstar.spark.warmstart;
