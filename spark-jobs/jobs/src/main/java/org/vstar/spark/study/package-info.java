/** Studies: methods beside one another, over several seeds. */
package org.vstar.spark.study;
