/** The Parquet tables of a run and their rows. */
package org.vstar.spark.table;
