/** An evaluation to read: HTML, charts, transcripts, and the files that programs read. */
package org.vstar.spark.report;
