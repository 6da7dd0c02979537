/** How tables behave when they are large: runs made up for measuring. */
package org.vstar.spark.bench;
