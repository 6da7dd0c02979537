/** Runs at full speed for a while; heap, threads, open files or native memory may not grow. */
package org.vstar.spark.soak;
