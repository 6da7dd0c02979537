/** Where the numbers of a training run go while it runs. */
package org.vstar.spark.tracking;
