/** What episodes come to: rates, intervals, differences, failures. */
package org.vstar.spark.score;
