/** Measuring V*: which samples are missing, who takes them, and how adaptive rounds go on. */
package org.vstar.spark.measure;
