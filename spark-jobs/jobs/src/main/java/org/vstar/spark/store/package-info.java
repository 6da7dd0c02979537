/** Storage through Hadoop's file systems. */
package org.vstar.spark.store;
