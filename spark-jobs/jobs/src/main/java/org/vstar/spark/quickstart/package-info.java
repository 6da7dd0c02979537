/** All jobs of a run, one after another in one application. */
package org.vstar.spark.quickstart;
