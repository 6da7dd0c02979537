/** Vstar in Spark SQL: {@code vstar(return, beta1)} and the tables of a run. */
package org.vstar.spark.sql;
