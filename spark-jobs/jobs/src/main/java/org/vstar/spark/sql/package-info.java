/** Vstar in Spark SQL: its functions, found by {@code spark.sql.extensions}. */
package org.vstar.spark.sql;
