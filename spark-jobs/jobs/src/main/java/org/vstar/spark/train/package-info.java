/** Stage 2 on the driver: A*-PO against the V* table. */
package org.vstar.spark.train;
