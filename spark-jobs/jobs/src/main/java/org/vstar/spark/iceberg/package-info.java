/** Tables of a run as tables of a data platform's Apache Iceberg catalog, too. */
package org.vstar.spark.iceberg;
