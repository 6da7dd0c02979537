/** Measures speed and memory of kernels, engines, environments, tables and jobs; prices V*. */
package org.vstar.spark.bench;
